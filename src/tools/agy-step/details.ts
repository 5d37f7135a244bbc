import { z } from "zod/v3";

/** What a card keeps of its step, in pi's session file. Read back after a restart, so it is checked then. */
const stepDetailsSchema = z.object({
	kind: z.string(),
	tool: z.string(),
	summary: z.string(),
	/** `background`: the card let go of a step that ran on. `stopped`: agy was stopped first. `lost`: it ended by itself first. */
	state: z.enum(["waiting", "running", "background", "done", "failed", "cancelled", "stopped", "lost"]),
	/** The part of the output that is kept. */
	output: z.string().optional(),
	/** In lines, of the whole output. Set when `output` is only a part. */
	totalLines: z.number().optional(),
	outputPath: z.string().optional(),
	/** In the form pi's `renderDiff` takes. */
	diff: z.string().optional(),
	binary: z.boolean().optional(),
	change: z.enum(["created", "edited", "deleted", "moved"]).optional(),
	movedTo: z.string().optional(),
	added: z.number().optional(),
	removed: z.number().optional(),
	exitCode: z.number().optional(),
	error: z.string().optional(),
	refused: z.boolean().optional(),
	/** What would have allowed a refused step. */
	remedy: z.string().optional(),
	/** What the step was given, where its title does not say it. */
	input: z.string().optional(),
	progress: z.string().optional(),
	waitsFor: z.string().optional(),
	/** By agy's own record, in milliseconds since the epoch. */
	startedAt: z.number().optional(),
	/** Milliseconds. */
	duration: z.number().optional(),
	imagePaths: z.array(z.string()).optional(),
	/** The card brings the end of a step that had run on in the background. */
	late: z.boolean().optional(),
	/** agy's log of a background task. */
	taskLog: z.string().optional(),
});

export type StepDetails = z.infer<typeof stepDetailsSchema>;

/** Undefined for details of another version or of another tool. */
export function readDetails(value: unknown): StepDetails | undefined {
	return stepDetailsSchema.safeParse(value).data;
}
