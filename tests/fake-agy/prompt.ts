import { existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** All of a stream as text. */
export async function readAll(stream: Readable): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(Buffer.from(chunk));
	return Buffer.concat(chunks).toString("utf8");
}

/** The texts of the files that `@file` mentions name, as agy adds them to the prompt. */
export function mentionedFiles(prompt: string, cwd: string): string[] {
	const paths = [...prompt.matchAll(/(?:^|\s)@(\S+)/g)].map(([, path = ""]) =>
		isAbsolute(path) ? path : join(cwd, path),
	);
	return paths.filter((path) => existsSync(path) && statSync(path).isFile()).map((path) => readFileSync(path, "utf8"));
}

export type InputMessage = { text: string } | { unknownEvent: string } | { malformed: string };

/** What arrives with `--input-format stream-json`, one JSON object a line. */
export async function* userMessages(stream: Readable): AsyncGenerator<InputMessage> {
	for await (const line of createInterface({ input: stream })) {
		if (line.trim() !== "") yield parseMessage(line);
	}
}

function parseMessage(line: string): InputMessage {
	let parsed: unknown;
	try {
		parsed = JSON.parse(line);
	} catch {
		return { malformed: "malformed JSON on stdin" };
	}
	if (!isRecord(parsed) || typeof parsed.event !== "string") return { malformed: "missing event on stdin" };
	if (parsed.event !== "user") return { unknownEvent: parsed.event };
	const content = isRecord(parsed.message) ? parsed.message.content : undefined;
	if (typeof content === "string") return { text: content };
	if (!Array.isArray(content)) return { malformed: "missing content on stdin" };
	return { text: content.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("") };
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}
