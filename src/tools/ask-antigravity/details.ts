import { z } from "zod/v3";

const fileSchema = z.object({
	/** Relative to the directory of the delegation where it lies below it. */
	path: z.string(),
	change: z.enum(["created", "edited", "deleted", "moved"]),
	movedTo: z.string().optional(),
	/** Lines, summed over all edits of the file. */
	added: z.number(),
	removed: z.number(),
});

const commandSchema = z.object({
	command: z.string(),
	/** Absent where agy recorded none. */
	exitCode: z.number().optional(),
	state: z.enum(["waiting", "running", "background", "done", "failed", "cancelled"]),
});

const stepSchema = z.object({
	/** `run npm test`, `edit src/x.ts +3 -1`. */
	title: z.string(),
	/** What came of it: `exit 1 · 2 s`. Empty where there is nothing to say. */
	outcome: z.string(),
	state: z.enum(["open", "done", "failed"]),
	/** In the form pi's `renderDiff` takes. */
	diff: z.string().optional(),
	/** The end of a command's output. */
	output: z.string().optional(),
});

const usageSchema = z.object({
	input: z.number(),
	output: z.number(),
	reasoning: z.number(),
	cacheRead: z.number(),
	cacheWrite: z.number(),
});

/** What a delegation keeps of itself, in pi's session file. Read back after a restart, so it is checked then. */
const askDetailsSchema = z.object({
	/** `gemini-3.8-flash high`. */
	model: z.string(),
	mode: z.enum(["plan", "accept-edits"]),
	/** Absolute. */
	cwd: z.string(),
	conversationId: z.string().optional(),
	outcome: z.enum(["running", "answered", "cancelled", "failed"]),
	/** Why it failed and what helps. */
	problem: z.string().optional(),
	/** What agy is doing, while it runs. */
	activity: z.string().optional(),
	/** Milliseconds since the epoch. */
	startedAt: z.number(),
	/** Milliseconds; absent while it runs. */
	duration: z.number().optional(),
	/** Sum over all model calls. */
	usage: usageSchema.optional(),
	/** The part of the answer that is kept. */
	answer: z.string(),
	/** Where the whole answer is, when it is longer. */
	answerPath: z.string().optional(),
	files: z.array(fileSchema),
	commands: z.array(commandSchema),
	/** Absolute paths of pictures that agy made. */
	pictures: z.array(z.string()),
	/** One sentence for each action agy was not allowed. */
	denied: z.array(z.string()),
	/** What else should be known. */
	notes: z.array(z.string()),
	/** The last steps. */
	steps: z.array(stepSchema),
	/** How many steps came before them. */
	earlierSteps: z.number(),
});

export type AskDetails = z.infer<typeof askDetailsSchema>;
export type ChangedFile = z.infer<typeof fileSchema>;
export type RanCommand = z.infer<typeof commandSchema>;
export type ShownStep = z.infer<typeof stepSchema>;

/** Undefined for details of another version or of another extension's tool. */
export function readAskDetails(value: unknown): AskDetails | undefined {
	return askDetailsSchema.safeParse(value).data;
}
