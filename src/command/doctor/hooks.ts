import { z } from "zod/v3";
import { parseJson } from "../../engine/json.ts";
import { type Check, ok, warning } from "./check.ts";

const NAME = "agy's hooks";

const hookShape = z.object({ command: z.string().optional().catch(undefined) });
const matcherShape = z.object({
	matcher: z.string().optional().catch(undefined),
	hooks: z.array(hookShape).catch([]),
});
const fileShape = z.record(z.string(), z.unknown());
const groupShape = z.object({ PreToolUse: z.array(matcherShape.catch({ hooks: [] })).min(1) });

/** A hooks file; `text` is undefined where it does not exist. */
export interface HooksFile {
	readonly path: string;
	readonly text: string | undefined;
}

/**
 * Names every PreToolUse hook of other programs: such a hook can refuse agy's tools, and one that answers `{}` refuses all of
 * them without a reason (reported for several versions of agy).
 */
export function checkHooks(files: readonly HooksFile[]): Check[] {
	const found = files.flatMap(({ path, text }) => (text === undefined ? [] : checkFile(path, text)));
	return found.length === 0 ? [ok(NAME, "no hook looks at agy's tools before they run")] : found;
}

function checkFile(path: string, text: string): Check[] {
	const groups = fileShape.safeParse(parseJson(text)).data;
	if (groups === undefined) return [warning(NAME, `${path} is not a JSON object`, "Correct it, or move it away.")];
	return Object.entries(groups).flatMap(([name, group]) => {
		const matchers = groupShape.safeParse(group).data?.PreToolUse;
		if (matchers === undefined) return [];
		const tools = matchers.map(({ matcher }) => matcher || "every tool").join(", ");
		const commands = matchers.flatMap(({ hooks }) => hooks.flatMap(({ command }) => command ?? []));
		const advice = "If tools are refused without a reason, let the hook print a decision, or remove it.";
		return [warning(NAME, `"${name}" looks at ${tools} (${path})`, advice, commands)];
	});
}
