import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Clock } from "../engine/clock.ts";

/** By then pi has drawn its first screen or answered its first request. In milliseconds. */
const STARTED_MS = 300;

/**
 * Does `work` soon after each start of the session, out of the way of pi's own start. Not called once the session is over. It may
 * reject: what it imports is gone when the package was replaced while pi runs.
 */
export function afterStart(pi: ExtensionAPI, clock: Clock, work: (ctx: ExtensionContext) => unknown): void {
	let cancel = () => {};
	pi.on("session_start", (_event, ctx) => {
		cancel();
		cancel = clock.after(STARTED_MS, () => {
			if (!isOver(ctx)) Promise.resolve(work(ctx)).catch(() => {});
		});
	});
	pi.on("session_shutdown", () => cancel());
}

/** A program that uses pi's sessions may drop one without a shutdown: then the context refuses every question. */
function isOver(ctx: ExtensionContext): boolean {
	try {
		return ctx.cwd === "";
	} catch {
		return true;
	}
}
