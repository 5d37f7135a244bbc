import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Settings } from "../config/schema.ts";
import type { SettingsSource } from "../config/settings-source.ts";
import { changeSetting } from "./change-setting.ts";

const TITLE =
	"agy works with its own tools. What may it do on this machine without asking? (/agy permissions changes it)";
const UNANSWERED =
	"agy was not started: it is not said yet what it may do. You are asked again next time; `/agy permissions skip` or `deny` answers it too.";
const ANSWERS: Readonly<Record<Settings["permissions"], string>> = {
	skip: "Skip the questions: agy runs commands and edits files without asking, like pi's own tools",
	deny: "Deny: agy refuses whatever needs permission, and each refusal is shown",
};

/**
 * Asks the person at pi's screen once what agy may do, before the first turn; the answer goes into the settings. Other modes
 * never ask and follow the setting. False when agy must not be started: the question was left without an answer, which does not
 * mean that agy may do everything, or a refusal could not be saved. Never rejects.
 */
export async function askPermissionsOnce(
	ctx: Pick<ExtensionContext, "mode" | "ui" | "signal">,
	settings: SettingsSource,
): Promise<boolean> {
	if (ctx.mode !== "tui" || settings.origin("permissions") !== "default") return true;
	const options = ctx.signal === undefined ? {} : { signal: ctx.signal };
	const chosen = await ctx.ui.select(TITLE, [ANSWERS.skip, ANSWERS.deny], options);
	if (chosen === undefined) {
		ctx.ui.notify(UNANSWERED, "warning");
		return false;
	}
	const answer = chosen === ANSWERS.deny ? "deny" : "skip";
	const reply = await changeSetting(settings, "permissions", answer);
	if (reply.level === "error") ctx.ui.notify(reply.lines.join("\n"), "error");
	// An answer that could not be saved does not count anywhere; whoever denied must not get the default.
	return answer === "skip" || settings.current().permissions === answer;
}
