import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { CARD_TOOL } from "../provider/step-card.ts";
import { homePath } from "../words/home-path.ts";

/** A command that others may have registered as well; pi then calls them `/agy:1`, `/agy:2`, in the order of loading. */
export interface NamedCommand {
	/** As it has to be typed, without the slash. */
	readonly name: string;
	/** The file of the extension, or what else brought it. */
	readonly path: string;
}

/** Who has a command `/agy`. `ours` is undefined where it cannot be told, as in a program that chose its own tools. */
export function agyCommands(pi: Pick<ExtensionAPI, "getAllTools" | "getCommands">): {
	readonly ours: NamedCommand | undefined;
	readonly others: readonly NamedCommand[];
} {
	const path = pi.getAllTools().find((tool) => tool.name === CARD_TOOL)?.sourceInfo.path;
	const named = pi.getCommands().filter(({ name }) => /^agy(:\d+)?$/.test(name));
	const isOurs = ({ source, sourceInfo }: (typeof named)[number]) => source === "extension" && sourceInfo.path === path;
	const toNamed = ({ name, sourceInfo }: (typeof named)[number]) => ({ name, path: sourceInfo.path });
	const ours = named.find(isOurs);
	return { ours: ours && toNamed(ours), others: named.filter((command) => !isOurs(command)).map(toNamed) };
}

/** Where pi had to rename ours, `/agy` is no command any more: what is typed behind it would go to the model as a prompt. */
export function tellOfRenaming(pi: Pick<ExtensionAPI, "getAllTools" | "getCommands">, ctx: ExtensionContext): void {
	const { ours, others } = agyCommands(pi);
	if (ours === undefined || ours.name === "agy") return;
	const rivals = others.map(({ name, path }) => `${homePath(path)} (/${name})`).join(", ");
	ctx.ui.notify(
		`/agy is also a command of ${rivals}, so pi calls Antigravity's /${ours.name}. ` +
			`Type \`/${ours.name} doctor\` and so on, since \`/agy\` goes to the model; or remove one of them: \`pi list\`, then \`pi remove <source>\`.`,
		"warning",
	);
}
