import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { bridgedPi } from "../support/bridge/bridged-pi.ts";
import { PI_CLI, type PiEvent, PiRpc, parseEvents, runPi } from "../support/pi.ts";

interface Said {
	readonly role: string;
	readonly toolName?: string;
	readonly isError?: boolean;
	readonly stopReason?: string;
	readonly content: readonly Part[];
}

interface Part {
	readonly type: string;
	readonly name?: string;
	readonly text?: string;
	readonly arguments?: object;
}

function said(events: readonly PiEvent[]): Said[] {
	return events.flatMap((event) => (event.type === "message_end" ? [event.message as Said] : []));
}

/** The assistant messages, in short: their parts, and how they ended. */
function outline(events: readonly PiEvent[]): string[] {
	return said(events)
		.filter(({ role }) => role === "assistant")
		.map(({ content, stopReason }) => {
			const parts = content.map((part) => (part.type === "text" ? part.text : (part.name ?? part.type)));
			return [...parts, stopReason].join(" | ");
		});
}

/** The arguments of the calls with which the first message ends that follows `before` earlier calls. */
async function callsOfNextMessage(rpc: PiRpc, before: number): Promise<{ gate: string }[]> {
	const answers = () => said(rpc.events).filter(({ role }) => role === "assistant");
	const calls = () => answers().flatMap(({ content }) => content.flatMap((part) => part.arguments ?? []));
	await rpc.next(() => calls().length > before, 0);
	return calls().slice(before) as { gate: string }[];
}

describe("a tool of pi", () => {
	test("is called by agy in the middle of its turn, as a real tool call of pi, and not shown twice", async (t) => {
		const pi = bridgedPi(t, {
			steps: [
				{ say: "Let me see." },
				{ callMcp: { tool: "lookup", args: { query: "bridges" } } },
				{ say: "Here it is." },
			],
		});
		const { stdout } = await runPi(pi.home, pi.args("--mode", "json", "hello"));
		const events = parseEvents(stdout);
		assert.deepEqual(outline(events), ["Let me see. | lookup | toolUse", "Here it is. | stop"]);
		assert.deepEqual(pi.ran(), ["lookup bridges"]);
		const [offered, called] = pi.mcp();
		assert.deepEqual(
			offered?.tools?.map(({ name }) => name),
			["lookup", "picture", "broken", "gated", "switch_off", "wait"],
		);
		assert.deepEqual(called?.result, {
			content: [{ type: "text", text: "found bridges" }],
			structuredContent: { hits: ["bridges"] },
		});
	});

	test("that is blocked, fails, gets wrong arguments, gives a picture or is unknown: agy learns it", async (t) => {
		const pi = bridgedPi(t, {
			steps: [
				{ callMcp: { tool: "lookup", args: { query: "secrets" } } },
				{ callMcp: { tool: "broken" } },
				{ callMcp: { tool: "lookup", args: {} } },
				{ callMcp: { tool: "picture" } },
				{ say: "So it is." },
			],
		});
		const { stdout } = await runPi(pi.home, pi.args("--mode", "json", "hello"));
		assert.equal(outline(parseEvents(stdout)).at(-1), "So it is. | stop");
		const results = pi.mcp().flatMap(({ result }) => (result === undefined ? [] : [result]));
		assert.deepEqual(
			results.map(({ isError }) => isError ?? false),
			[true, true, true, false],
		);
		const [blocked = "", broken = "", invalid = ""] = pi.answers();
		assert.match(blocked, /not on my watch/);
		assert.match(broken, /the service is down/);
		assert.match(invalid, /query/);
		assert.deepEqual(
			results[3]?.content.map(({ type, mimeType }) => [type, mimeType]),
			[["image", "image/png"]],
		);
		assert.deepEqual(pi.ran(), ["broken", "picture"]);
	});

	test("that a hook of agy denies or the user has switched off is seen as a step of agy", async (t) => {
		const pi = bridgedPi(t, {
			steps: [
				{ callMcp: { tool: "lookup", args: { query: "x" }, hookDenied: true } },
				{ callMcp: { tool: "switch_off", args: { query: "lookup" } } },
				{ callMcp: { tool: "lookup", args: { query: "y" } } },
				{ say: "Without, then." },
			],
		});
		const { stdout } = await runPi(pi.home, pi.args("--mode", "json", "hello"));
		assert.deepEqual(outline(parseEvents(stdout)), [
			"agy_step | toolUse",
			"switch_off | toolUse",
			"agy_step | toolUse",
			"Without, then. | stop",
		]);
		assert.deepEqual(pi.answers(), ["lookup is off", 'The tool "lookup" has been switched off in pi.']);
		assert.deepEqual(pi.ran(), ["switch_off lookup"]);
	});

	test("is called ten times at once, answered in another order, and each answer finds its call", async (t) => {
		const gates = Array.from({ length: 10 }, (_, n) => `gate-${n}`);
		const pi = bridgedPi(t, {});
		const parallel = gates.map((gate) => ({ callMcp: { tool: "gated", args: { gate: pi.file(gate) } } }));
		pi.play({ steps: [{ parallel }, { say: "All through." }] });
		const rpc = new PiRpc(pi.home, pi.args());
		await rpc.request({ type: "prompt", message: "hello" });
		// Mostly in one message. pi runs the calls of one together, and comes to those that missed it afterwards.
		for (let begun = 0; begun < gates.length; ) {
			const calls = await callsOfNextMessage(rpc, begun);
			for (const { gate } of calls) await pi.until(`gated ${gate} began`);
			for (const { gate } of calls.toReversed()) {
				writeFileSync(gate, "");
				await pi.until(`gated ${gate} ended`);
			}
			begun += calls.length;
		}
		await rpc.next((event) => event.type === "agent_settled", 0);
		assert.equal(outline(rpc.events).at(-1), "All through. | stop");
		assert.equal(outline(rpc.events).join(" | ").match(/gated/g)?.length, 10);
		await rpc.close();
		const answers = pi.mcp().flatMap(({ args, result }) => (result ? [[args, result.content[0]?.text]] : []));
		assert.equal(answers.length, 10);
		for (const [args, text] of answers) assert.equal(text, `through ${Object(args).gate}`);
	});
});

describe("a tool that takes long", () => {
	test("is answered with a handle, waited for, and runs once", async (t) => {
		const pi = bridgedPi(t, {}, { settings: { bridgeAnswerSeconds: 0.3 } });
		const gate = pi.file("gate");
		const steps = [
			{ callMcp: { tool: "gated", args: { gate } } },
			{ callMcp: { tool: "wait", args: { handle: "{{handle}}" } } },
			{ touch: gate },
			{ callMcp: { tool: "wait", args: { handle: "{{handle}}" }, patiently: true } },
			{ say: "Through." },
		];
		pi.play({ steps });
		const { stdout } = await runPi(pi.home, pi.args("--mode", "json", "hello"));
		assert.deepEqual(outline(parseEvents(stdout)), ["gated | toolUse", "Through. | stop"]);
		const [handle = "", still = ""] = pi.answers();
		assert.match(handle, /handle is "gated-1"/);
		assert.match(still, /still running/);
		assert.equal(pi.answers().at(-1), `through ${gate}`);
		assert.equal(pi.ran().length, 2);
	});

	test("that agy does not wait for is told with the next turn", async (t) => {
		const pi = bridgedPi(t, {}, { settings: { bridgeAnswerSeconds: 0.2 } });
		const gate = pi.file("gate");
		const turns = [
			[{ callMcp: { tool: "gated", args: { gate } } }, { say: "I go." }, { touch: gate }],
			[{ say: "I see." }],
		];
		pi.play({ turns });
		const rpc = new PiRpc(pi.home, pi.args());
		assert.deepEqual(outline(await rpc.prompt("go")), ["gated | toolUse", "I go. | stop"]);
		assert.deepEqual(outline(await rpc.prompt("and?")), ["I see. | stop"]);
		const [first = "", second = ""] = pi.turns().map(({ prompt }) => prompt);
		assert.doesNotMatch(first, /late-tool-results/);
		assert.ok(second.includes(`through ${gate}`), second);
		assert.equal(pi.ran().length, 2);
		await rpc.close();
	});
});

describe("an abort", () => {
	test("while pi runs the tool ends agy, and the next turn works", async (t) => {
		const pi = bridgedPi(t, {});
		const turns = [
			[{ callMcp: { tool: "gated", args: { gate: pi.file("never") } } }, { say: "Unheard." }],
			[{ say: "Back." }],
		];
		pi.play({ turns });
		const rpc = new PiRpc(pi.home, pi.args());
		await rpc.request({ type: "prompt", message: "go" });
		await pi.until(`gated ${pi.file("never")} began`);
		const from = rpc.events.length;
		await rpc.request({ type: "abort" });
		await rpc.next((event) => event.type === "agent_settled", from);
		assert.deepEqual(outline(await rpc.prompt("again")), ["Back. | stop"]);
		await rpc.close();
	});

	test("after the tool, while agy goes on, ends the turn", async (t) => {
		const pi = bridgedPi(t, {});
		const gate = pi.file("gate");
		const steps = [{ callMcp: { tool: "lookup", args: { query: "x" } } }, { say: "Going on" }, { waitFor: gate }];
		pi.play({ steps });
		const rpc = new PiRpc(pi.home, pi.args());
		await rpc.request({ type: "prompt", message: "go" });
		await rpc.next((event) => event.type === "message_update" && JSON.stringify(event).includes("Going on"), 0);
		const from = rpc.events.length;
		await rpc.request({ type: "abort" });
		await rpc.next((event) => event.type === "agent_settled", from);
		assert.equal(outline(rpc.events).at(-1), "Going on | aborted");
		await rpc.close();
	});

	test("by a message that arrives with the result: agy is told both in its next turn", async (t) => {
		const pi = bridgedPi(t, {});
		const gate = pi.file("gate");
		const turns = [[{ callMcp: { tool: "gated", args: { gate } } }, { say: "Unheard." }], [{ say: "As you like." }]];
		pi.play({ turns });
		const rpc = new PiRpc(pi.home, pi.args());
		await rpc.request({ type: "prompt", message: "go" });
		await pi.until(`gated ${gate} began`);
		await rpc.request({ type: "steer", message: "do this instead" });
		writeFileSync(gate, "");
		await rpc.next((event) => event.type === "agent_settled", 0);
		const prompt = pi.turns().at(-1)?.prompt ?? "";
		assert.ok(prompt.includes(`through ${gate}`), prompt);
		assert.match(prompt, /do this instead/);
		assert.equal(outline(rpc.events).at(-1), "As you like. | stop");
		await rpc.close();
	});
});

describe("pi's tools alone", () => {
	test("are all that agy has: its own are off and pi's are offered", async (t) => {
		const steps = [{ callMcp: { tool: "bash", args: { command: "echo from pi" } } }, { say: "Ran." }];
		const pi = bridgedPi(t, { steps }, { settings: { toolsRunIn: "pi" } });
		const { stdout } = await runPi(pi.home, pi.args("--mode", "json", "hello"));
		assert.deepEqual(outline(parseEvents(stdout)), ["bash | toolUse", "Ran. | stop"]);
		assert.match(pi.answers()[0] ?? "", /from pi/);
		const { argv = [] } = pi.turns()[0] ?? {};
		assert.equal(argv[argv.indexOf("--agent") + 1], "pi-tools-only");
	});

	test("are refused by an agy that cannot do without its own", async (t) => {
		const env = { FAKE_AGY_VERSION: "1.1.20" };
		const pi = bridgedPi(t, { steps: [{ say: "No." }] }, { settings: { toolsRunIn: "pi" }, env });
		const { stdout } = await runPi(pi.home, pi.args("--mode", "json", "hello"));
		assert.match(stdout, /agy 1\.1\.20 cannot work without its own tools/);
		assert.deepEqual(pi.turns(), []);
	});
});

test("an agy that a bridged tool starts gets no bridge", async (t) => {
	const pi = bridgedPi(t, {}, { settings: { bridge: "all" } });
	writeFileSync(pi.file("nested.json"), JSON.stringify({ steps: [{ say: "Nested." }] }));
	const variables = `FAKE_AGY_SCENARIO=${pi.file("nested.json")} FAKE_AGY_MCP_LOG=${pi.file("inner.jsonl")}`;
	const nested = [process.execPath, PI_CLI, ...pi.args("-p", "nested")].map((part) => `'${part}'`).join(" ");
	const bash = { tool: "bash", args: { command: `${variables} ${nested} </dev/null` } };
	pi.play({ steps: [{ callMcp: bash }, { say: "Outer." }] });
	await runPi(pi.home, pi.args("-p", "hello"));
	assert.match(pi.answers()[0] ?? "", /Nested\./);
	assert.equal(existsSync(pi.file("inner.jsonl")), false);
});
