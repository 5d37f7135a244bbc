import type { JsonValue } from "./events.ts";

/** The log file as the rest of the code sees it. Writing never throws and never blocks. */
export interface Log {
	/** Facts about a run: versions, timings, end reasons. Never prompt or answer text, never secrets. */
	info(event: string, facts?: Readonly<Record<string, JsonValue | undefined>>): void;
	/** May hold prompt and answer text; written only when the user turned it on. */
	debug(event: string, facts?: Readonly<Record<string, JsonValue | undefined>>): void;
}

/** For places without a log. */
export const silentLog: Log = { info() {}, debug() {} };
