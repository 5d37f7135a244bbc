import { type Static, Type } from "typebox";

export const ASK_TOOL = "AskAntigravity";

/** The longest a delegation may be given, in minutes. */
const MAX_MINUTES = 24 * 60;

/** Kept short: a model reads all of it with every request. */
export const askParameters = Type.Object({
	prompt: Type.String({ description: "The whole task, with the paths and facts it needs" }),
	model: Type.Optional(
		Type.String({
			description:
				"flash, pro, gemini, sonnet, opus or gpt-oss, with version and tier if needed (`3.8 flash`, `flash high`), or an exact slug",
		}),
	),
	thinking: Type.Optional(Type.Union([Type.Literal("low"), Type.Literal("medium"), Type.Literal("high")])),
	mode: Type.Optional(
		Type.Union([Type.Literal("plan"), Type.Literal("accept-edits")], {
			description: "plan: think and propose first; not a sandbox",
		}),
	),
	cwd: Type.Optional(Type.String({ description: "Absolute directory to work in; default: this session's" })),
	conversationId: Type.Optional(Type.String({ description: "Continue the delegation that reported this id" })),
	context: Type.Optional(
		Type.Union([Type.Literal("none"), Type.Literal("summary"), Type.Literal("full")], {
			description: "How much of this conversation it may read; default none",
		}),
	),
	digest: Type.Optional(Type.Boolean({ description: "Ask for a compact answer; default: in plan mode" })),
	timeoutMinutes: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: MAX_MINUTES })),
});

export type AskParameters = Static<typeof askParameters>;

/**
 * The arguments as a model wrote them, before they are validated: what it left blank (models that fill in every field do so
 * with `""` or `null`) counts as left out.
 */
export function withoutBlanks(args: unknown): AskParameters {
	const given = typeof args === "object" && args !== null ? Object.entries(args) : [];
	const kept = given.filter(([name, value]) => value !== null && (value !== "" || name === "prompt"));
	// Whether this is what it has to be, pi's validation decides.
	return Object.fromEntries(kept) as AskParameters;
}

export const ASK_DESCRIPTION =
	"Hand a task to Google's Antigravity agent (Gemini, Claude or GPT-OSS models). It works in a directory with its own tools, " +
	"edits files and runs commands by itself, and reports its answer, the files it changed and the commands it ran. " +
	"Use it for a second opinion, a review, research, or a piece of work that can be done apart.";

export const ASK_SNIPPET = "Hand a self-contained task to Google's Antigravity agent";

export const ASK_GUIDELINES = [
	"AskAntigravity sees nothing of this conversation: put what it needs into `prompt`, or set `context`. Check the changes it reports.",
];
