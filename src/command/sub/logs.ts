import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { homePath } from "../../words/home-path.ts";
import { readLog } from "../log-lines.ts";
import { misused, type SubCommand, say } from "../sub-command.ts";

const usage = "[path]";
const SHOWN_ENTRIES = 20;
/** A day's file may just have been begun, and the end of the story be in the one before. */
const FILES = 2;

export const logsCommand: SubCommand = {
	name: "logs",
	usage,
	summary: "Show the end of the log, or where it is",
	complete: (words) => (words.length === 0 ? [{ word: "path", meaning: "Only where the file is." }] : []),
	async run(words, env) {
		const path = env.logPath();
		if (words.length === 1 && words[0] === "path") return say(path);
		if (words.length > 0) return misused({ name: "logs", usage });
		const { lines, broken } = readLog(await newestText(dirname(path)), SHOWN_ENTRIES, env.clock.now());
		const skipped = `${broken} ${broken === 1 ? "line that is no entry was" : "lines that are no entries were"} left out.`;
		return say(
			...(lines.length === 0 ? ["Nothing was logged yet."] : lines),
			...(broken === 0 ? [] : [skipped]),
			`All of it: ${homePath(path)}`,
		);
	},
};

/** The newest files of the log as one text. Their names hold the day, so that they sort by age. */
async function newestText(folder: string): Promise<string> {
	const names = (await readdir(folder).catch(() => [])).filter((name) => /^agy-.*\.log$/.test(name)).sort();
	const texts = await Promise.all(
		names.slice(-FILES).map((name) => readFile(join(folder, name), "utf8").catch(() => "")),
	);
	return texts.join("\n");
}
