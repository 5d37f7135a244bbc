import { decode, encode, type Plain } from "../support/agy-proto.ts";
import { plain, type RecordedBlob, type RecordedStep, type Recording } from "./recording.ts";
import type { Stdout } from "./stdout.ts";
import { STATUS, TYPE } from "./steps.ts";
import type { Store } from "./store.ts";

/** How many pieces thinking and text are cut into while the row is GENERATING. */
const SLICES = 4;

/** What a tool's row holds only at its end. */
const RESULTS = ["combinedOutput", "exitCode", "content", "results", "rawOutput", "summary", "actionResult", "result"];

/** One commit of a replay, at the moment at which the real agy made it. */
export interface ReplayCommit {
	at: bigint;
	/** Which of two commits at the same moment comes first. */
	rank: number;
	write(store: Store): void;
	tell(stdout: Stdout): void;
}

/**
 * The commits of one turn in the order of time: every row in each of its recorded states, planner rows growing, then the
 * generation and the execution. The last version of each row is the recording, byte for byte.
 */
export function replayCommits(recording: Recording, turn: number): ReplayCommit[] {
	const steps = recording.turns[turn];
	if (steps === undefined)
		throw new Error(`the recording has ${recording.turns.length} turn(s), this is turn ${turn + 1}`);
	const executions = new Set(steps.map((step) => String(step.metadata.executionId)));
	const belongs = (blob: RecordedBlob) => executions.has(blob.executionId);
	const commits = steps.flatMap(stepCommits);
	const end = latest(commits.map(({ at }) => at));
	const generations = recording.generations
		.filter(belongs)
		.flatMap((blob) => generationCommits(recording, blob, steps));
	const execution = recording.executions.filter(belongs).map((blob) => ({
		at: end,
		rank: 3,
		write: (store: Store) => store.insertBlob("executor_metadata", blob.idx, blob.data),
		tell: () => {},
	}));
	return [...commits, ...generations, ...execution].sort((a, b) =>
		a.at === b.at ? a.rank - b.rank : a.at < b.at ? -1 : 1,
	);
}

function stepCommits(recorded: RecordedStep): ReplayCommit[] {
	const { columns, transitions } = recorded;
	const final = transitions.at(-1) ?? { status: columns.status, at: 0n };
	const commits: ReplayCommit[] = [];
	for (const [index, { status, at }] of transitions.slice(0, -1).entries()) {
		const until = transitions[index + 1]?.at ?? at;
		const bodies = columns.stepType === TYPE.planner ? plannerSlices(recorded.step) : [withoutResults(recorded.step)];
		for (const [slice, { body, delta }] of bodies.entries()) {
			commits.push({
				at: at + ((until - at) * BigInt(slice)) / BigInt(bodies.length),
				rank: 0,
				write: (store) => store.upsertStep({ ...columns, ...version(recorded, index + 1, status, body) }),
				tell: (stdout) => {
					if (delta !== "") stdout.step({ ...line(recorded, "ACTIVE"), text_delta: delta });
				},
			});
		}
	}
	commits.push({
		at: final.at,
		rank: 1,
		write: (store) => store.upsertStep(columns),
		tell: (stdout) => stdout.step(line(recorded, "DONE")),
	});
	return commits;
}

/** The row as it was when only its first `count` transitions had happened. */
function version(recorded: RecordedStep, count: number, status: number, body: Plain) {
	const { completedAt: _completed, modelUsage: _usage, finishedGeneratingAt: _finished, ...early } = recorded.metadata;
	const stored = plain(recorded.metadata.internalMetadata).statusTransitions;
	const statusTransitions = Array.isArray(stored) ? stored.slice(0, count) : [];
	const metadata = { ...early, internalMetadata: { statusTransitions } };
	return {
		status,
		metadata: encode("CortexStepMetadata", metadata),
		errorDetails: null,
		payload: encode("Step", { ...body, type: recorded.columns.stepType, status, metadata }),
	};
}

/** Growing bodies of a planner row: thinking first, then text in both of its fields, then all but the signature. */
function plannerSlices(step: Plain): { body: Plain; delta: string }[] {
	const { thinkingSignature: _signature, stopReason, toolCalls, ...rest } = plain(step.plannerResponse);
	const thinking = String(rest.thinking ?? "");
	const text = String(rest.response ?? rest.modifiedResponse ?? "");
	const slices: { body: Plain; delta: string }[] = [];
	for (const piece of prefixes(thinking)) {
		const { response: _response, modifiedResponse: _modified, ...quiet } = rest;
		slices.push({ body: { ...step, plannerResponse: { ...quiet, thinking: piece } }, delta: "" });
	}
	let said = "";
	for (const piece of prefixes(text)) {
		const grown = { ...rest, response: piece, modifiedResponse: piece };
		slices.push({ body: { ...step, plannerResponse: grown }, delta: piece.slice(said.length) });
		said = piece;
	}
	slices.push({ body: { ...step, plannerResponse: { ...rest, toolCalls, stopReason } }, delta: "" });
	return slices;
}

/** Prefixes that grow to the whole text, never cutting a character in two. */
function prefixes(text: string): string[] {
	const characters = Array.from(text);
	const size = Math.ceil(characters.length / SLICES);
	const cuts = Array.from({ length: SLICES }, (_, index) => characters.slice(0, size * (index + 1)).join(""));
	return [...new Set(cuts)].filter((prefix) => prefix !== "");
}

function withoutResults(step: Plain): { body: Plain; delta: string } {
	const body: Plain = {};
	for (const [name, value] of Object.entries(step)) {
		const isBody = !["type", "status", "metadata"].includes(name) && Object.keys(plain(value)).length > 0;
		const kept = Object.entries(plain(value)).filter(([field]) => !RESULTS.includes(field));
		body[name] = isBody ? Object.fromEntries(kept) : value;
	}
	return { body, delta: "" };
}

/** The generation with its whole prompt; before it, the one before loses its own and gets its recorded form. */
function generationCommits(recording: Recording, blob: RecordedBlob, steps: RecordedStep[]): ReplayCommit[] {
	const { stepIndices } = decode("CortexStepGeneratorMetadata", blob.data);
	const own = steps.filter((step) => Array.isArray(stepIndices) && stepIndices.includes(step.columns.idx));
	const at = latest(own.map((step) => step.transitions.at(-1)?.at ?? 0n));
	const before = recording.generations.find((other) => other.idx === blob.idx - 1);
	const last = blob.idx === recording.generations.length - 1;
	const quiet = { at, rank: 2, tell: () => {} };
	const pruning =
		before === undefined
			? []
			: [{ ...quiet, write: (store: Store) => store.upsertGeneration(before.idx, before.data) }];
	const data = last ? blob.data : withPrompt(blob.data);
	return [...pruning, { ...quiet, write: (store: Store) => store.upsertGeneration(blob.idx, data) }];
}

function latest(moments: bigint[]): bigint {
	return moments.toSorted((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n;
}

function withPrompt(data: Uint8Array): Uint8Array {
	const generation = decode("CortexStepGeneratorMetadata", data);
	const chatModel = { ...plain(generation.chatModel), systemPrompt: "p".repeat(20_000) };
	return encode("CortexStepGeneratorMetadata", { ...generation, chatModel });
}

const STEP_TYPES: Record<number, string> = {
	[TYPE.userInput]: "user_input",
	[TYPE.planner]: "agent_response",
	[TYPE.checkpoint]: "checkpoint",
	[TYPE.errorMessage]: "error_message",
	[TYPE.systemMessage]: "system_message",
};

function line(recorded: RecordedStep, state: "ACTIVE" | "DONE") {
	const { idx, stepType, status } = recorded.columns;
	const failed = status === STATUS.error ? { error: { type: "TOOL_ERROR", message: "failed" } } : {};
	return { step_index: idx, state, step_type: STEP_TYPES[stepType] ?? "tool", ...failed };
}
