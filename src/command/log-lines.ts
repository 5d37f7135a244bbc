import { z } from "zod/v3";
import { parseJson } from "../engine/json.ts";
import { formatDuration } from "../words/duration.ts";
import { printable, shorten } from "../words/printable.ts";

const entryShape = z
	.object({ at: z.string().datetime(), event: z.string().default(""), run: z.string().optional() })
	.passthrough();

type Entry = z.infer<typeof entryShape>;

export interface LogLines {
	/** One for each entry, in the order of the log. */
	readonly lines: readonly string[];
	/** Lines of the log that hold no entry. */
	readonly broken: number;
}

/** The last `count` entries of a log as lines for people: time, the run's short id, what happened. `now` is in milliseconds. */
export function readLog(log: string, count: number, now: number): LogLines {
	const read = log
		.split("\n")
		.flatMap((line) => (line.trim() === "" ? [] : [entryShape.safeParse(parseJson(line)).data]));
	const entries = read.filter((entry) => entry !== undefined);
	return {
		lines: entries.slice(-count).map((entry) => lineOf(entry, now)),
		broken: read.length - entries.length,
	};
}

const RUN_WIDTH = 8;
const MAX_WORDS = 160;

function lineOf(entry: Entry, now: number): string {
	const run = shortId(entry.run ?? "").padEnd(RUN_WIDTH);
	const facts = factsOf(entry).join(", ");
	const what = inWords(entry.event);
	const words = [what, facts].filter((part) => part !== "").join(": ");
	return `${timeOf(new Date(entry.at), new Date(now))}  ${run}  ${shorten(words, MAX_WORDS)}`;
}

/** To the second, in the machine's time zone; with the day where that is another one. */
function timeOf(at: Date, now: Date): string {
	const time = at.toTimeString().slice(0, 8);
	return at.toDateString() === now.toDateString() ? time : `${at.toDateString()} ${time}`;
}

/** What stands in a column of its own, or matters only to who reads the file itself. */
const HIDDEN = new Set(["at", "event", "run", "pid", "agyPid", "sign", "lastStep", "toolsRan", "from"]);
/** Said first, and without the fact's name. */
const PLAIN = ["outcome", "failure", "kind", "reason", "cause", "stderr", "tail"];

function factsOf(entry: Entry): string[] {
	const { argv } = entry;
	const facts = Object.entries(entry).filter(([name]) => !HIDDEN.has(name));
	const plain = PLAIN.flatMap((name) => wordsOf(entry[name]) ?? []);
	const named = facts.flatMap(([name, value]) => (PLAIN.includes(name) ? [] : (namedFact(name, value) ?? [])));
	return [...plain, ...named, ...(Array.isArray(argv) ? modelIn(argv) : [])];
}

function namedFact(name: string, value: unknown): string | undefined {
	if (name === "ms" && typeof value === "number")
		return `after ${value < 1000 ? `${value} ms` : formatDuration(value)}`;
	const text = wordsOf(value);
	return text === undefined ? undefined : `${inWords(name)} ${text}`;
}

/** Undefined for what says nothing (none, no, empty) and for what is too much for a line. */
function wordsOf(value: unknown): string | undefined {
	if (typeof value === "number" && value !== 0) return String(value);
	if (typeof value !== "string") return undefined;
	const [first = ""] = printable(value).trim().split("\n", 1);
	return first === "" ? undefined : shortId(first);
}

function modelIn(argv: readonly unknown[]): string[] {
	const flag = argv.indexOf("--model");
	return flag === -1 ? [] : [`model ${argv[flag + 1]}`];
}

/** `run.last-words` and `lastWords` as words. */
function inWords(name: string): string {
	return name.replace(/[.-]/g, " ").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Ids are told apart by their first eight digits. */
function shortId(text: string): string {
	return /^[\da-f]{8}-[\da-f-]{27}$/.test(text) ? text.slice(0, RUN_WIDTH) : text;
}
