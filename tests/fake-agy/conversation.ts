import { randomUUID } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { decode, encode, type Plain } from "../support/agy-proto.ts";
import { ConversationDatabase, type DatabaseOptions } from "./database.ts";
import type { Paths } from "./paths.ts";
import type { Recording } from "./recording.ts";
import { now, SOURCE, STATUS, StepRow, TYPE } from "./steps.ts";
import { LateStore, NoStore, type Store } from "./store.ts";

/** Numbers of CortexTrajectorySource. */
const SOURCE_CLI = 17;
const SOURCE_SUBAGENT = 16;

/** Tokens as stdout counts them; over the whole conversation in `result`, of one call in a step. */
export interface Usage {
	input: number;
	cacheRead: number;
	output: number;
	thinking: number;
}

export interface ConversationOptions extends DatabaseOptions {
	paths: Paths;
	kind: "normal" | "never" | "late" | "no-steps" | "empty" | "corrupt";
	model: number;
	workspaces: string[];
	/** Rows that a killed process left open are rewritten to CANCELED at the next resume (seen with agy 1.2.0). */
	cancelZombies: boolean;
	/** For a conversation that was recorded: who it was. */
	recorded?: Recording | undefined;
	/** For a subagent's conversation. */
	parent?: { id: string; root: string; depth: number };
}

/** An open conversation: its file, the next numbers to give out, and what it has used up so far. */
export class Conversation {
	readonly id: string;
	readonly options: ConversationOptions;
	store: Store;
	trajectoryId: string = randomUUID();
	executionId = "";
	generation = 0;
	/** Turns that were there before this process. */
	turns = 0;
	/** The prompt of an earlier turn was dropped: agy answers nothing in such a conversation ever after. */
	dead = false;
	usage: Usage = { input: 0, cacheRead: 0, output: 0, thinking: 0 };
	readonly rows: StepRow[] = [];
	#nextIdx = 0;
	#executions = 0;
	#firstGeneration = 0;
	#lastGeneration: Plain | undefined;

	private constructor(id: string, options: ConversationOptions, store: Store) {
		this.id = id;
		this.options = options;
		this.store = store;
		mkdirSync(options.paths.brain(id), { recursive: true });
		mkdirSync(join(options.paths.root, "presence"), { recursive: true });
		closeSync(openSync(join(options.paths.root, "presence", `${id}.lock`), "a"));
	}

	/** A new conversation with a new id; a recorded one keeps its own. */
	static create(options: ConversationOptions): Conversation {
		const id = options.recorded?.conversationId ?? randomUUID();
		const file = options.paths.database(id);
		const conversation = new Conversation(id, options, openStore(file, options));
		conversation.#writeIdentity();
		return conversation;
	}

	/** The conversation with this id, or undefined when there is none. */
	static resume(id: string, options: ConversationOptions): Conversation | undefined {
		const file = options.paths.database(id);
		if (!existsSync(file)) return undefined;
		const conversation = new Conversation(id, options, new ConversationDatabase(file, options));
		conversation.#readBack();
		return conversation;
	}

	get nextIdx(): number {
		return this.#nextIdx;
	}

	get logUri(): string {
		const logs = join(this.options.paths.brain(this.id), ".system_generated", "logs");
		return pathToFileURL(join(logs, "transcript.jsonl")).href;
	}

	/** Starts a turn: one execution, whose rows carry its id. */
	begin(): void {
		this.executionId = randomUUID();
		this.#firstGeneration = this.generation;
	}

	/** A new row with the next index. Nothing is written before its first commit. */
	row(type: number, source: number): StepRow {
		const origin = {
			conversationId: this.id,
			trajectoryId: this.trajectoryId,
			executionId: this.executionId,
			generation: this.generation,
			model: this.options.model,
		};
		const row = new StepRow(this.#nextIdx++, type, source, origin, (columns) => this.store.upsertStep(columns));
		this.rows.push(row);
		return row;
	}

	/** Ends a model call: the row before it is written again without its prompt, then this one with the whole prompt. */
	endGeneration(usage: Plain, stepIndices: number[], promptBytes: number): void {
		if (this.#lastGeneration !== undefined && this.generation > 0) {
			this.store.upsertGeneration(this.generation - 1, encodeGeneration(this.#lastGeneration, ""));
		}
		this.#lastGeneration = {
			chatModel: {
				model: this.options.model,
				usage,
				chatStartMetadata: {
					checkpointIndex: -1,
					createdAt: now(),
					contextWindowMetadata: { estimatedTokensUsed: this.contextTokens(usage), maxContextTokens: 1_048_576 },
				},
				responseModel: "stand-in",
				modelDisplayName: "Stand-in for agy",
				customMetadata: { trajectory_id: this.trajectoryId, last_step_index: String(this.#nextIdx - 1) },
			},
			stepIndices,
			executionId: this.executionId,
		};
		this.store.upsertGeneration(this.generation, encodeGeneration(this.#lastGeneration, "p".repeat(promptBytes)));
		this.generation++;
	}

	/** Ends the turn: 4 is the normal reason, 2 the user's interrupt, 1 an error. */
	endExecution(terminationReason: number, executionError?: string): void {
		const data = encode("ExecutorMetadata", {
			terminationReason,
			numGeneratorInvocations: this.generation - this.#firstGeneration,
			lastStepIdx: Math.max(0, this.#nextIdx - 1),
			executionId: this.executionId,
			executionError,
		});
		this.store.insertBlob("executor_metadata", this.#executions++, data);
	}

	/** `/rewind`: the rows from `idx` on are gone, and their numbers are used again under another trajectory id. */
	rewind(idx: number): void {
		this.store.deleteFrom("steps", idx);
		this.store.deleteFrom("gen_metadata", Math.max(0, this.generation - 1));
		const reference = { trajectoryId: this.trajectoryId, stepIndex: idx, trajectoryType: 4, referenceType: 2 };
		this.store.insertBlob(
			"parent_references",
			this.#executions,
			encode("CortexTrajectoryReference", { ...reference, conversationId: this.id }),
		);
		const before = this.trajectoryId;
		this.trajectoryId = randomUUID();
		this.#nextIdx = idx;
		this.#lastGeneration = undefined;
		this.rows.length = 0;
		this.store.setTrajectory(this.trajectoryId, this.id, SOURCE_CLI, before);
	}

	addUsage(usage: Usage): void {
		this.usage.input += usage.input;
		this.usage.cacheRead += usage.cacheRead;
		this.usage.output += usage.output;
		this.usage.thinking += usage.thinking;
	}

	/** What the next process needs to know and the rows do not say cheaply. */
	remember(): void {
		writeFileSync(this.#memory(), JSON.stringify({ usage: this.usage, dead: this.dead }));
		const cache = join(this.options.paths.root, "cache");
		mkdirSync(cache, { recursive: true });
		writeFileSync(join(cache, "last_conversations.json"), JSON.stringify({ [process.cwd()]: this.id }));
	}

	contextTokens(usage: Plain): number {
		return Number(usage.inputTokens ?? 0) + Number(usage.cacheReadTokens ?? 0);
	}

	#memory(): string {
		return join(this.options.paths.brain(this.id), "stand-in.json");
	}

	#writeIdentity(): void {
		const { recorded } = this.options;
		if (recorded !== undefined) {
			this.trajectoryId = recorded.trajectoryId;
			this.store.setTrajectory(recorded.trajectoryId, this.id, recorded.source);
			this.store.setTrajectoryMetadata(recorded.metadata);
			return;
		}
		const parent = this.options.parent;
		this.store.setTrajectory(this.trajectoryId, this.id, parent === undefined ? SOURCE_CLI : SOURCE_SUBAGENT);
		const workspaces = this.options.workspaces.map((path) => pathToFileURL(path).href);
		const lineage =
			parent === undefined
				? { rootConversationId: this.id }
				: { parentConversationId: parent.id, rootConversationId: parent.root, nestingDepth: parent.depth };
		this.store.setTrajectoryMetadata(
			encode("CortexTrajectoryMetadata", {
				workspaces: workspaces.map((uri) => ({ workspaceFolderAbsoluteUri: uri })),
				createdAt: now(),
				initializationStateId: randomUUID(),
				workspaceUris: workspaces,
				projectId: "stand-in",
				...lineage,
			}),
		);
	}

	#readBack(): void {
		const count = (sql: string): number => Number(this.store.read(sql)[0]?.n ?? 0);
		this.#nextIdx = count("SELECT coalesce(max(idx) + 1, 0) AS n FROM steps");
		this.generation = count("SELECT coalesce(max(idx) + 1, 0) AS n FROM gen_metadata");
		this.#executions = count("SELECT coalesce(max(idx) + 1, 0) AS n FROM executor_metadata");
		this.turns = count(`SELECT count(*) AS n FROM steps WHERE step_type = ${TYPE.userInput}`);
		const trajectory = this.store.read("SELECT trajectory_id AS id FROM trajectory_meta")[0];
		if (typeof trajectory?.id === "string") this.trajectoryId = trajectory.id;
		const last = this.store.read("SELECT data FROM gen_metadata ORDER BY idx DESC LIMIT 1")[0]?.data;
		if (last instanceof Uint8Array) this.#lastGeneration = decode("CortexStepGeneratorMetadata", last);
		if (existsSync(this.#memory())) Object.assign(this, JSON.parse(readFileSync(this.#memory(), "utf8")));
		if (this.options.cancelZombies) this.#cancelZombies();
	}

	#cancelZombies(): void {
		const open = [STATUS.pending, STATUS.running, STATUS.generating, STATUS.waiting].join(", ");
		const zombies = this.store.read(`SELECT idx, step_type, step_payload FROM steps WHERE status IN (${open})`);
		for (const zombie of zombies) {
			const payload = zombie.step_payload instanceof Uint8Array ? decode("Step", zombie.step_payload) : {};
			this.begin();
			const origin = { conversationId: this.id, trajectoryId: this.trajectoryId, executionId: this.executionId };
			const numbers = { generation: this.generation, model: this.options.model };
			const row = new StepRow(
				Number(zombie.idx),
				Number(zombie.step_type),
				SOURCE.model,
				{ ...origin, ...numbers },
				(columns) => this.store.upsertStep(columns),
			);
			const { type: _type, status: _status, metadata, ...rest } = payload;
			row.body = rest;
			if (typeof metadata === "object" && !Array.isArray(metadata) && !(metadata instanceof Uint8Array))
				row.adopt(metadata);
			row.commit(STATUS.canceled);
		}
	}
}

function openStore(file: string, options: ConversationOptions): Store {
	switch (options.kind) {
		case "normal":
			return new ConversationDatabase(file, options);
		case "late":
			return new LateStore(() => new ConversationDatabase(file, options));
		default:
			return new NoStore(file, options.kind);
	}
}

function encodeGeneration(generation: Plain, systemPrompt: string): Uint8Array {
	const chatModel = generation.chatModel;
	const model = typeof chatModel === "object" && !Array.isArray(chatModel) ? chatModel : {};
	return encode("CortexStepGeneratorMetadata", { ...generation, chatModel: { ...model, systemPrompt } });
}
