import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { Box } from "@earendil-works/pi-tui";
import type { CommandEnvironment } from "./environment.ts";
import { ReportLines } from "./report-lines.ts";
import type { Reply } from "./sub-command.ts";

/** A reply in pi's session: seen by people and by readers of the session, never by a model. */
const REPLY_ENTRY = "agy-reply";

/**
 * Registers `/agy`. `environment` is asked at each use; it may throw while no session has started. What the command does is
 * imported when it is used: pi's start does not wait for it.
 */
export function registerAgyCommand(
	pi: ExtensionAPI,
	environment: () => CommandEnvironment | Promise<CommandEnvironment>,
): void {
	pi.registerEntryRenderer<Reply>(REPLY_ENTRY, (entry, _options, theme) => {
		const box = new Box(1, 1, (text) => theme.bg("customMessageBg", text));
		box.addChild(new ReportLines(entry.data?.lines ?? []));
		return box;
	});
	pi.registerCommand("agy", {
		description: "Antigravity: status, doctor, models, quota and settings",
		async getArgumentCompletions(prefix) {
			const { complete } = await import("./dispatch.ts");
			return complete(prefix, await environment());
		},
		async handler(line, ctx) {
			const env = await environment();
			if (line.trim() === "" && ctx.mode === "tui") {
				const { pickSettings } = await import("./settings-picker.ts");
				await pickSettings(ctx.ui, env);
				return;
			}
			const { dispatch } = await import("./dispatch.ts");
			const reply = await dispatch(line, env, (text) => {
				if (ctx.mode === "tui") ctx.ui.notify(text, "info");
			});
			await show(pi, ctx, reply);
		},
	});
}

/** Each mode of pi has its own way to say something that is not the model's. */
async function show(pi: ExtensionAPI, ctx: ExtensionCommandContext, reply: Reply): Promise<void> {
	const text = reply.lines.join("\n");
	switch (ctx.mode) {
		case "print": {
			const { printReply } = await import("./print-mode.ts");
			return printReply(text);
		}
		case "json":
			pi.appendEntry<Reply>(REPLY_ENTRY, reply);
			return;
		case "rpc":
			ctx.ui.notify(text, reply.level);
			return;
		case "tui":
			if (reply.lines.length === 1) ctx.ui.notify(text, reply.level);
			else pi.appendEntry<Reply>(REPLY_ENTRY, reply);
	}
}
