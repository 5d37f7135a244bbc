import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import type { ControlStep } from "../fake-agy/scenario.ts";
import type { Scenario, ScenarioStep } from "./scenario.ts";

const SCENARIOS = new URL("../fake-agy/scenarios/", import.meta.url);

/** The agy versions whose ways differ most: today's, before steps were wrapped, and before stream-json. */
export const VERSIONS = ["1.3.3", "1.1.28", "1.1.7"] as const;

/** One turn that goes wrong: what the stand-in plays, and what happens to it from outside. */
export interface FaultSchedule {
	readonly version: (typeof VERSIONS)[number];
	/** One of the stand-in's files, or one put together by chance. */
	readonly scenario: Scenario;
	readonly permissions: "skip" | "deny";
	readonly disturbance: Disturbance;
}

export type Disturbance =
	| { readonly kind: "none" }
	/** The person gives up. */
	| { readonly kind: "cancel"; readonly afterEvents: number }
	| { readonly kind: "cancel-late"; readonly afterMs: number }
	/** Somebody ends agy from outside. */
	| { readonly kind: "kill"; readonly signal: NodeJS.Signals; readonly afterMs: number };

/** Everything the stand-in has a file for, but for what only takes long. */
const NAMED = readdirSync(SCENARIOS)
	.filter((file) => file !== "large-answer.json")
	.sort()
	.map((file): Scenario => JSON.parse(readFileSync(new URL(file, SCENARIOS), "utf8")));

const QUOTA = "Individual quota reached. Please upgrade your subscription to increase your limits. Resets in 2h3m4s.";

const noise: fc.Arbitrary<ScenarioStep> = fc.constantFrom<ScenarioStep>(
	{ stdout: "no JSON\n" },
	{ stdout: '{"event":"step_update"' },
	{ stdout: '{"event":"new_kind","new_kind":{}}\n' },
	{ stdout: `${"x".repeat(3_000)}\n` },
	{ stderr: "I1010 10:10:10.101 something is going on\n" },
	{ stderr: { megabytes: 3 } },
	{ stderr: "API error (attempt 1): UNAVAILABLE (code 503): overloaded\n" },
	{ stderr: 'a tool required the "mcp" permission that headless mode cannot prompt for\n' },
	{ stderr: "terminating 2 background task(s) on exit\n" },
	{ stderr: 'AGY_ERROR: {"status":"UNAVAILABLE"' },
	{ pause: 30 },
	{ pause: 150 },
	{ grandchild: { seconds: 600, holdStdout: true, ownGroup: true } },
	{ grandchild: { seconds: 600 } },
);

const work: fc.Arbitrary<ScenarioStep> = fc.oneof(
	fc.constantFrom<ScenarioStep>(
		{ think: ["Hm. ", "Let me see."] },
		{ say: ["A ", "word."] },
		{ say: "日本語 🏁\r\n" },
		{ rewriteText: "Something else." },
		{ systemMessage: "The system has something to say." },
		{ checkpoint: "A title" },
		{ compaction: { summary: "It was long." } },
		{ retry: { message: "The model is overloaded.", code: 503 } },
		{ rewind: 1 },
		{ run: { command: "make", output: ["one\n", { pause: 40 }, "two\n"], exitCode: 2 } },
		{ run: { command: "make", background: "make", output: ["going\n"] } },
		{ run: { command: "make", permission: true } },
		{ run: { command: "make", hookDenied: true, onDenied: [{ say: "Refused." }] } },
		{ edit: { file: "a.txt", before: "a\n", after: "b\n" } },
		{ mcp: { server: "tracker", tool: "find", error: "the server is gone" } },
		{ subagent: { role: "Helper", prompt: "help", steps: [{ say: "Helped." }], report: "Helped." } },
		{ parallel: [{ run: { command: "one" } }, { view: { file: "b.txt", content: "b\n" } }] },
		{ unknown: { type: 251 } },
	),
	noise,
);

/** What the turn may end with, instead of ending by itself. */
const ending: fc.Arbitrary<ScenarioStep> = fc.constantFrom<ScenarioStep>(
	{ hang: true },
	{ exit: 0 },
	{ exit: 1 },
	{ exit: 3 },
	{ kill: "SIGKILL" },
	{ kill: "SIGTERM" },
	{ dieMidTransaction: true },
	{ deleteDatabase: true },
	{ replaceDatabase: true },
	{ printTimeout: true },
	{ error: { message: "The service is currently unavailable.", code: 503, retryable: true } },
	{ error: { message: QUOTA, status: "RESOURCE_EXHAUSTED", code: 429 } },
	{ error: { message: "context_length_exceeded", status: "INVALID_ARGUMENT", code: 400 } },
	{ error: { message: "something new", status: "NEW_STATUS", code: 418 } },
	{ end: { status: "CANCELED" } },
	{ end: { status: "WAITING" } },
	{ end: { status: "ERROR", error: "timeout waiting for response" } },
	{ retryForever: { message: QUOTA } },
	{ retryForever: { message: "Resource has been exhausted (e.g. check quota)." } },
	{ idle: [{ hang: true }] },
	{ idle: [{ pause: 100 }, { say: "One more thing." }] },
);

const composed: fc.Arbitrary<Scenario> = fc
	.record({
		before: fc.array(fc.constantFrom<ControlStep>({ pause: 20 }, { stderr: "starting\n" }, { stdout: "hello\n" }), {
			maxLength: 1,
		}),
		work: fc.array(work, { maxLength: 6 }),
		ending: fc.option(ending),
		more: fc.array(work, { maxLength: 1 }),
		after: fc.array(fc.constantFrom<ControlStep>({ hang: true }, { exit: 3 }, { kill: "SIGKILL" }, { pause: 100 }), {
			maxLength: 1,
		}),
		database: fc.record(
			{
				kind: fc.constantFrom("normal" as const, "normal" as const, "late" as const, "never" as const),
				text: fc.constantFrom(true, true, false),
				alsoOpen: fc.constantFrom(0, 0, 1),
			},
			{ requiredKeys: [] },
		),
		stdout: fc.record(
			{
				init: fc.constantFrom(true, true, false),
				result: fc.constantFrom(true, true, false),
				text: fc.constantFrom(true, true, false),
				splitUtf8: fc.boolean(),
				ahead: fc.boolean(),
			},
			{ requiredKeys: [] },
		),
		ignoreSignals: fc.subarray(["SIGINT", "SIGTERM"] as const),
	})
	.map(({ before, work, ending, more, after, database, stdout, ignoreSignals }) => ({
		before,
		steps: [...work, ...(ending === null ? [] : [ending, ...more])].filter((step) => fits(step, database)),
		after,
		database,
		stdout,
		ignoreSignals: [...ignoreSignals],
	}));

/** A database that is not there cannot be harmed. */
function fits(step: ScenarioStep, database: NonNullable<Scenario["database"]>): boolean {
	const { kind = "normal" } = database;
	return kind === "normal" || !["deleteDatabase", "replaceDatabase", "dieMidTransaction"].some((verb) => verb in step);
}

const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
	{ weight: 3, arbitrary: fc.constant<Disturbance>({ kind: "none" }) },
	fc.record({ kind: fc.constant("cancel" as const), afterEvents: fc.nat(30) }),
	fc.record({ kind: fc.constant("cancel-late" as const), afterMs: fc.nat(600) }),
	fc.record({
		kind: fc.constant("kill" as const),
		signal: fc.constantFrom<NodeJS.Signals>("SIGKILL", "SIGTERM", "SIGINT"),
		afterMs: fc.nat(600),
	}),
);

/** Turns that go wrong in every way that was ever reported, and in ways that were not. */
export const faultSchedule: fc.Arbitrary<FaultSchedule> = fc.record({
	version: fc.constantFrom(...VERSIONS),
	scenario: fc.oneof(fc.constantFrom(...NAMED), composed),
	permissions: fc.constantFrom("skip", "skip", "skip", "deny"),
	disturbance,
});
