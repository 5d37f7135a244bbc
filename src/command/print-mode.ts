import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { codeOf } from "../engine/thrown.ts";

const STDOUT = 1;
const BUSY_MS = 10;

/**
 * Prints a command's reply in `pi -p`. pi has no interface for that there: `ctx.ui` does nothing, and pi itself prints only what
 * a model says last. So the text goes to the descriptor, past `process.stdout`, which pi points at stderr in this mode. Resolves
 * when it is written, or when nobody reads any more.
 */
export async function printReply(text: string, write: typeof writeSync = writeSync): Promise<void> {
	let rest = Buffer.from(`${text}\n`);
	while (rest.length > 0) {
		try {
			rest = rest.subarray(write(STDOUT, rest));
		} catch (error) {
			if (codeOf(error) !== "EAGAIN") return;
			await pause(BUSY_MS);
		}
	}
}
