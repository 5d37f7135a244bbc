import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { describeProblem } from "../config/setting-problems.ts";
import type { SettingsSource } from "../config/settings-source.ts";
import { tellOfRenaming } from "./command-names.ts";

/** Tells a person at the start what would otherwise be noticed late, or never. */
export function warnOfSetUp(
	pi: Pick<ExtensionAPI, "getAllTools" | "getCommands">,
	ctx: ExtensionContext,
	settings: SettingsSource,
): void {
	tellOfUnusable(settings, ctx);
	tellOfRenaming(pi, ctx);
}

/** A setting that was meant and does not count. */
function tellOfUnusable(settings: SettingsSource, ctx: ExtensionContext): void {
	const [first, ...others] = settings.problems();
	if (first === undefined) return;
	const more = others.length === 0 ? "" : ` ${others.length} more: see \`/agy doctor\`.`;
	ctx.ui.notify(`An antigravity setting is wrong: ${describeProblem(first, settings.path)}.${more}`, "warning");
}
