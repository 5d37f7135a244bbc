import { z } from "zod/v3";

const seconds = (fallback: number) => z.number().positive().max(86_400).default(fallback);

/**
 * Every setting, its meaning and its default, those first that people change. `docs/reference.md` is generated from the descriptions.
 * Each can also be given as an environment variable; `environmentName` in `environment.ts` has the naming rule.
 */
export const settingsSchema = z.object({
	mode: z
		.enum(["accept-edits", "plan"])
		.default("accept-edits")
		.describe("agy's mode. `plan` asks for a plan first; it is not a sandbox, agy can still write."),
	permissions: z
		.enum(["skip", "deny"])
		.default("skip")
		.describe(
			"`skip`: agy runs commands and edits files without asking. `deny`: agy refuses what needs permission. Something else, or a file that cannot be read, counts as `deny`.",
		),
	display: z
		.enum(["cards", "inline", "off"])
		.default("cards")
		.describe(
			"How agy's own tools are shown: as pi tool cards, as labelled lines in a thinking block, or not at all. Without cards a turn is one message, and pi's token totals count its last model call only.",
		),
	askAntigravity: z.boolean().default(true).describe("Offer the AskAntigravity tool to other models."),
	defaultModel: z.string().min(1).default("flash").describe("Model of AskAntigravity when the call names none."),
	defaultThinking: z
		.enum(["low", "medium", "high"])
		.default("medium")
		.describe("Thinking level of AskAntigravity when the call names none."),
	bridge: z
		.enum(["off", "extensions", "all"])
		.default("extensions")
		.describe("Which of pi's active tools agy may call: none, those agy has no equal of, or all."),
	bridgeAllow: z.array(z.string()).default([]).describe("Tools that are offered to agy whatever `bridge` says."),
	bridgeDeny: z
		.array(z.string())
		.default([])
		.describe(
			"Tools that are never offered to agy. While this is no list, or the file cannot be read, `bridge` counts as `off`.",
		),
	bridgeGlobalConfig: z
		.boolean()
		.default(false)
		.describe("Allow a temporary entry in agy's global MCP file when no private registration works."),
	bridgeAnswerSeconds: seconds(150).describe(
		"After this many seconds a slow bridged tool is answered with a handle to wait on; agy itself gives up after about 180.",
	),
	toolsRunIn: z
		.enum(["agy", "pi"])
		.default("agy")
		.describe("`pi`: agy's own file and shell tools are switched off and pi's are offered instead."),
	nameSessions: z.boolean().default(true).describe("Name the pi session after agy's title when it has no name yet."),
	sandbox: z
		.boolean()
		.default(false)
		.describe("Ask agy for its terminal sandbox. Not a boundary while permissions are skipped."),
	promptVia: z
		.enum(["argv", "stdin"])
		.default("argv")
		.describe("How agy gets the prompt. `stdin` keeps it out of the process list."),
	agyPath: z.string().min(1).optional().describe("The agy binary. Default: `agy` on PATH, else `~/.local/bin/agy`."),
	extraArgs: z
		.string()
		.default("")
		.describe("Extra arguments for agy, placed before the prompt flag. Quoted as in a shell; nothing is expanded."),
	conversationsDir: z
		.string()
		.min(1)
		.optional()
		.describe("Where agy keeps its conversation databases. Default: `~/.gemini/antigravity-cli/conversations`."),
	rebuildOnFamilyChange: z
		.boolean()
		.default(false)
		.describe("Start a new agy conversation, with a digest, when the model changes to another family."),
	digestBytes: z
		.number()
		.int()
		.min(1_000)
		.max(100_000)
		.default(12_000)
		.describe("Largest digest, in bytes, of what an agy conversation has not seen. The oldest part is dropped first."),
	startUpSeconds: seconds(120).describe("How long agy may take to its first sign of life."),
	inactivitySeconds: seconds(600).describe("How long agy may be silent while none of its tools is running."),
	turnSeconds: seconds(7_200).describe("How long one agy run may take in all."),
	exitGraceSeconds: seconds(10).describe("How long agy may take to exit after its answer before it is ended."),
	backgroundGraceSeconds: seconds(30).describe(
		"How long background tasks may go on after the answer before they are ended.",
	),
	maxParallelRuns: z
		.number()
		.int()
		.min(1)
		.max(64)
		.default(4)
		.describe("agy processes of all pi processes of this user at once."),
	sessionDays: z
		.number()
		.int()
		.min(1)
		.max(3_650)
		.default(60)
		.describe("Days after which the record of an unused session is removed."),
	fileEvents: z
		.boolean()
		.default(true)
		.describe("Use file events to follow the database; without them it is polled every 25 ms."),
	logLevel: z
		.enum(["off", "info", "debug"])
		.default("info")
		.describe("`debug` also writes prompt and answer text into the log."),
});

export type Settings = z.infer<typeof settingsSchema>;
export type SettingName = keyof Settings;

/** In the order of the schema, which is the order people see. */
export const settingNames = Object.keys(settingsSchema.shape) as readonly SettingName[];

/** Whether there is a setting of this name. */
export function isSettingName(text: string): text is SettingName {
	return Object.hasOwn(settingsSchema.shape, text);
}

/** All defaults. */
export const defaultSettings: Settings = settingsSchema.parse({});
