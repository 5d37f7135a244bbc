import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AgyEvent } from "../../../src/engine/events.ts";
import { createLedger } from "../../../src/ledger/ledger.ts";
import type { Observation } from "../../../src/ledger/observation.ts";
import {
	answer,
	bound,
	closed,
	databaseLost,
	executor,
	feed,
	ofType,
	planner,
	rebuild,
	result,
	row,
	said,
	stdoutStep,
	textOf,
	tool,
	toolSaid,
	usage,
	userInput,
} from "./make.ts";

/** One model call of a made-up turn: what it thinks and says, in pieces, and the tool it then calls. */
interface Call {
	readonly thinking: readonly string[];
	readonly text: readonly string[];
	readonly outputs: readonly string[];
	readonly toolEndsLate: boolean;
	readonly failsFirst: boolean;
}

const piece = fc.oneof(
	fc.string({ minLength: 1, maxLength: 8 }),
	fc.constantFrom("👍🏽", "日本", "é", "\r\n", "\n\n", " "),
);
const call: fc.Arbitrary<Call> = fc.record({
	thinking: fc.array(piece, { maxLength: 3 }),
	text: fc.array(piece, { minLength: 1, maxLength: 5 }),
	outputs: fc.array(piece, { maxLength: 3 }),
	toolEndsLate: fc.boolean(),
	failsFirst: fc.boolean(),
});

interface Turn {
	/** Every commit, in order. */
	readonly commits: readonly Observation[];
	/** Every line of stdout, in order. */
	readonly lines: readonly Observation[];
	readonly texts: ReadonlyMap<number, string>;
	readonly thinking: ReadonlyMap<number, string>;
	readonly tools: ReadonlySet<string>;
	readonly responses: ReadonlySet<string>;
}

/** A turn as agy would write it: all calls but the last one use a tool. */
function turnOf(calls: readonly Call[], responseIsLastOnly: boolean): Turn {
	const commits: Observation[] = [row(0, "done", userInput)];
	const lines: Observation[] = [stdoutStep({ stepType: "user_input", index: 0 })];
	const late: Observation[] = [];
	const texts = new Map<number, string>();
	const thoughts = new Map<number, string>();
	const tools = new Set<string>();
	const responses = new Set<string>();
	let index = 1;
	calls.forEach((one, position) => {
		if (one.failsFirst) commits.push(row(index++, "done", planner({ stopReason: 18 })));
		const at = index++;
		const thinking = one.thinking.join("");
		const text = `<${position}>${one.text.join("")}.`;
		if (thinking !== "") thoughts.set(at, thinking);
		texts.set(at, text);
		one.thinking.forEach((_, n) => {
			commits.push(row(at, "generating", planner({ thinking: one.thinking.slice(0, n + 1).join("") })));
		});
		const grown = [`<${position}>`, ...one.text];
		grown.forEach((delta, n) => {
			commits.push(row(at, "generating", planner({ thinking, text: grown.slice(0, n + 1).join("") })));
			lines.push(said(at, "ACTIVE", delta));
		});
		const isLast = position === calls.length - 1;
		const callId = `call-${position}`;
		const toolAt = index;
		if (!isLast) commits.push(row(toolAt, "pending", tool({ callId })));
		const toolCalls = isLast ? [] : [{ id: callId, name: "run_command", args: {} }];
		responses.add(`r${position}`);
		commits.push(row(at, "done", answer(text, { thinking, toolCalls }), { usage: usage(`r${position}`) }));
		lines.push(said(at, "DONE", isLast ? ".\n" : ".", { usage: { input: 10, output: 5, thinking: 2, cacheRead: 3 } }));
		if (isLast) return;
		index++;
		tools.add(callId);
		lines.push(toolSaid(toolAt, "ACTIVE"));
		one.outputs.forEach((_, n) => {
			commits.push(row(toolAt, "running", tool({ callId, output: one.outputs.slice(0, n + 1).join("") })));
		});
		const end = row(toolAt, "done", tool({ callId, output: one.outputs.join(""), exitCode: 0 }));
		(one.toolEndsLate ? late : commits).push(end);
		lines.push(toolSaid(toolAt, "DONE", { toolOutput: one.outputs.join("") }));
	});
	const all = [...texts.values()];
	lines.push(result(`${responseIsLastOnly ? all.at(-1) : all.join("")}\n`));
	commits.push(...late, executor(index - 1));
	return { commits, lines, texts, thinking: thoughts, tools, responses };
}

const turn = fc
	.tuple(fc.array(call, { minLength: 1, maxLength: 4 }), fc.boolean())
	.map(([calls, lastOnly]) => turnOf(calls, lastOnly));
const bits = fc.infiniteStream(fc.boolean());

/** What a reader sees that looks now and then: of the commits since its last look, each row's newest version, by index. */
function coalesce(commits: readonly Observation[], looks: Iterator<boolean>): Observation[] {
	const seen: Observation[] = [];
	let rows = new Map<number, Observation>();
	let rest: Observation[] = [];
	const look = () => {
		seen.push(...[...rows].sort(([a], [b]) => a - b).map(([, version]) => version), ...rest);
		rows = new Map();
		rest = [];
	};
	for (const commit of commits) {
		if (commit.source === "row") rows.set(commit.step.idx, commit);
		else rest.push(commit);
		if (looks.next().value === true) look();
	}
	look();
	return seen;
}

/** The same text in other pieces: some deltas are cut in two, some are joined with the one before. */
function resplit(lines: readonly Observation[], choices: Iterator<boolean>): Observation[] {
	const out: Observation[] = [];
	for (const line of lines) {
		const last = out.at(-1);
		if (line.source !== "stdout" || line.message.event !== "step" || line.message.stepType !== "agent_response") {
			out.push(line);
			continue;
		}
		const message = line.message;
		const before = last?.source === "stdout" && last.message.event === "step" ? last.message : undefined;
		if (before?.index === message.index && choices.next().value === true) {
			out[out.length - 1] = {
				source: "stdout",
				message: { ...before, ...message, textDelta: before.textDelta + message.textDelta },
			};
		} else if (choices.next().value === true) {
			const middle = Math.floor(message.textDelta.length / 2);
			out.push({
				source: "stdout",
				message: { ...message, state: "ACTIVE", textDelta: message.textDelta.slice(0, middle), usage: undefined },
			});
			out.push({ source: "stdout", message: { ...message, textDelta: message.textDelta.slice(middle) } });
		} else {
			out.push(line);
		}
	}
	return out;
}

function interleave(a: readonly Observation[], b: readonly Observation[], choices: Iterator<boolean>): Observation[] {
	const out: Observation[] = [];
	let left = 0;
	let right = 0;
	while (left < a.length || right < b.length) {
		const takeLeft = right >= b.length || (left < a.length && choices.next().value === true);
		const next = takeLeft ? a[left++] : b[right++];
		if (next) out.push(next);
	}
	return out;
}

/** What a reader sees begin, in order; the names sort in the order of the steps, and a thought before its words. */
function blocksOf(events: readonly AgyEvent[]): string[] {
	const names = events.flatMap((event) => {
		if (event.type !== "text" && event.type !== "thinking" && event.type !== "tool") return [];
		const part = event.type === "thinking" ? "a thought" : event.type === "text" ? "words" : "tool";
		return [`${String(event.step.index).padStart(3, "0")} ${part}`];
	});
	return [...new Set(names)];
}

test("any interleaving and coalescing of the same facts gives the same message, tools and usage", () => {
	fc.assert(
		fc.property(turn, bits, (made, choices) => {
			const rows = coalesce(made.commits, choices);
			const lines = resplit(made.lines, choices);
			const events = feed(createLedger(), bound, ...interleave(rows, lines, choices), closed);

			const message = rebuild(events);
			assert.deepEqual(sorted(message.text), sorted(made.texts));
			assert.deepEqual(sorted(message.thinking), sorted(made.thinking));
			assert.deepEqual(ofType(events, "rewrite"), []);
			const order = blocksOf(events);
			assert.deepEqual(order, order.toSorted());
			const ends = ofType(events, "tool").filter((event) => event.state === "done");
			assert.deepEqual(new Set(ends.map((event) => event.callId)), made.tools);
			assert.equal(ends.length, made.tools.size);
			assert.deepEqual(new Set(ofType(events, "usage").map((event) => event.responseId)), made.responses);
			assert.equal(ofType(events, "usage").length, made.responses.size);
			const done = ofType(events, "generation").filter((event) => event.state === "done");
			assert.equal(done.length, made.texts.size);
			assert.equal(
				ofType(events, "notice").some((event) => event.code === "recovered-text"),
				false,
			);
		}),
	);
});

test("one source alone gives the same answer", () => {
	fc.assert(
		fc.property(turn, bits, (made, choices) => {
			const whole = [...made.texts.values()].join("");
			assert.equal(textOf(feed(createLedger(), bound, ...coalesce(made.commits, choices), closed)), whole);
			const lines = resplit(made.lines, choices);
			assert.equal(textOf(feed(createLedger(), bound, databaseLost, ...lines, closed)), whole);
			assert.equal(textOf(feed(createLedger(), bound, ...lines, closed)), whole);
		}),
	);
});

test("a database that stops being readable anywhere loses nothing and doubles nothing", () => {
	fc.assert(
		fc.property(turn, bits, fc.nat(), (made, choices, cut) => {
			const rows = coalesce(made.commits.slice(0, cut % made.commits.length), choices);
			const events = feed(createLedger(), bound, ...interleave([...rows, databaseLost], made.lines, choices), closed);
			assert.equal(textOf(events).trimEnd(), [...made.texts.values()].join("").trimEnd());
			const ended = ofType(events, "tool").filter((event) => event.state === "done");
			assert.equal(ended.length, made.tools.size);
			assert.equal(ofType(events, "usage").length, made.texts.size);
		}),
	);
});

test("nothing a confused source says makes it throw, and every tool ends exactly once", () => {
	const index = fc.nat(6);
	const text = fc.string({ maxLength: 4 });
	const anything: fc.Arbitrary<Observation> = fc.oneof(
		fc
			.tuple(index, fc.constantFrom("generating", "done", "error", "unknown"), text, fc.nat(20))
			.map(([at, status, value, stopReason]) => row(at, status, planner({ text: value, stopReason }))),
		fc
			.tuple(
				index,
				fc.constantFrom("pending", "running", "waiting", "done", "error", "cancelled"),
				fc.constantFrom("t1", "t2"),
			)
			.map(([at, status, trajectory]) => row(at, status, tool({ callId: `c${at}${trajectory}` }), { trajectory })),
		fc.tuple(index, text).map(([at, value]) => said(at, "ACTIVE", value)),
		fc.tuple(index, fc.constantFrom("ACTIVE", "DONE", "ERROR", "?")).map(([at, state]) => toolSaid(at, state)),
		index.map((rows): Observation => ({ source: "rewound", rows })),
		text.map((value) => result(value)),
		fc.constant(databaseLost),
		index.map((last) => executor(last)),
	);
	fc.assert(
		fc.property(fc.array(anything, { maxLength: 40 }), (observations) => {
			const ledger = createLedger();
			const events = feed(ledger, bound, ...observations, closed);
			const ends = new Map<string, number>();
			for (const event of ofType(events, "tool")) {
				const key = `${event.step.trajectory} ${event.step.index} ${event.callId}`;
				const ended = event.state === "done" || event.state === "failed" || event.state === "cancelled";
				if (!ends.has(key)) ends.set(key, 0);
				if (ended) ends.set(key, (ends.get(key) ?? 0) + 1);
			}
			for (const [key, count] of ends) assert.ok(count >= 1, `${key} ended ${count} times`);
			assert.deepEqual(ledger.facts().openTools, []);
		}),
	);
});

function sorted(map: ReadonlyMap<number, string>): [number, string][] {
	return [...map].sort(([a], [b]) => a - b);
}
