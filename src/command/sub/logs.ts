import { readFile } from "node:fs/promises";
import { misused, type SubCommand, say } from "../sub-command.ts";

const usage = "[path]";
const SHOWN_LINES = 20;
const SHOWN_WIDTH = 300;

export const logsCommand: SubCommand = {
	name: "logs",
	usage,
	summary: "Show the end of today's log, or where it is",
	complete: (words) => (words.length === 0 ? ["path"] : []),
	async run(words, env) {
		const path = env.logPath();
		if (words.length === 1 && words[0] === "path") return say(path);
		if (words.length > 0) return misused({ name: "logs", usage });
		const text = await readFile(path, "utf8").catch(() => "");
		const lines = text.split("\n").filter((line) => line !== "");
		if (lines.length === 0) return say(`Nothing was logged today (${path}).`);
		return say(path, ...lines.slice(-SHOWN_LINES).map(shorten));
	},
};

function shorten(line: string): string {
	return line.length > SHOWN_WIDTH ? `${line.slice(0, SHOWN_WIDTH)}…` : line;
}
