import { z } from "zod/v3";

/**
 * - `clean`: the last turn ended with an answer.
 * - `interrupted`: agy had begun to answer or to work when the turn ended.
 * - `prompt-seen-unanswered`: agy has the prompt and did nothing with it.
 * - `quota-poisoned`: ended on a quota; resuming may repeat that error (reported for agy 1.2.6).
 * - `dead`: nothing good can come of resuming it.
 */
const bindingState = z.enum(["clean", "interrupted", "prompt-seen-unanswered", "quota-poisoned", "dead"]);

const claimSchema = z.object({
	/** One planner of one process. */
	owner: z.string(),
	pid: z.number().int(),
	/** Milliseconds since the epoch. */
	at: z.number(),
});

const bindingSchema = z.object({
	conversationId: z.string().min(1),
	/** Fingerprints of all that the conversation has seen. */
	seen: z.array(z.string()),
	/** What it may have seen, `seen` included: set from the moment a turn reaches agy until its end is recorded. */
	sent: z.array(z.string()).optional(),
	state: bindingState,
	/** The highest step index known, -1 when none was. */
	lastStep: z.number().int(),
	trajectory: z.string().optional(),
	family: z.string(),
	cwd: z.string(),
	agyVersion: z.string().optional(),
	/** Hash of the instructions it was given. */
	instructions: z.string(),
	updatedAt: z.number(),
	/** The process that runs a turn on it. */
	claim: claimSchema.optional(),
});

/** The version of the file format. */
export const RECORD_VERSION = 1;

export const recordSchema = z.object({
	version: z.literal(RECORD_VERSION),
	sessionId: z.string(),
	bindings: z.array(bindingSchema),
});

/** What one pi session knows of one agy conversation. */
export type Binding = Readonly<z.infer<typeof bindingSchema>>;
export type BindingState = z.infer<typeof bindingState>;
export type Claim = z.infer<typeof claimSchema>;

/** All conversations of one pi session: one for each branch that was continued. */
export interface SessionRecord {
	readonly sessionId: string;
	readonly bindings: readonly Binding[];
}
