import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Settings } from "../config/schema.ts";
import type { SettingsSource } from "../config/settings-source.ts";
import { changeSetting } from "./change-setting.ts";

const TITLE =
	"agy works with its own tools. What may it do on this machine without asking? (/agy permissions changes it)";
const ANSWERS: Readonly<Record<Settings["permissions"], string>> = {
	skip: "Skip the questions: agy runs commands and edits files without asking, like pi's own tools",
	deny: "Deny: agy refuses whatever needs permission, and each refusal is shown",
};

/**
 * Asks the person at pi's screen once what agy may do, before the first turn; the answer goes into the settings. Other modes
 * never ask and follow the setting, and so does this when the question is left without an answer. Never rejects.
 */
export async function askPermissionsOnce(
	ctx: Pick<ExtensionContext, "mode" | "ui" | "signal">,
	settings: SettingsSource,
): Promise<void> {
	if (ctx.mode !== "tui" || settings.origin("permissions") !== "default") return;
	const options = ctx.signal === undefined ? {} : { signal: ctx.signal };
	const chosen = await ctx.ui.select(TITLE, [ANSWERS.skip, ANSWERS.deny], options);
	if (chosen === undefined) return;
	const reply = await changeSetting(settings, "permissions", chosen === ANSWERS.deny ? "deny" : "skip");
	if (reply.level === "error") ctx.ui.notify(reply.lines.join("\n"), "error");
}
