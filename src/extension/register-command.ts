import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { CommandEnvironment } from "../command/environment.ts";
import { registerAgyCommand } from "../command/register.ts";
import { describeProblem } from "../config/setting-problems.ts";
import type { SettingsSource } from "../config/settings-source.ts";
import { PROVIDER_ID } from "../models/catalogue-model.ts";
import { tellOfRenaming } from "./command-names.ts";
import { type Lazy, lazy } from "./lazy.ts";
import type { RealParts } from "./parts.ts";
import { familyOf, publishModels } from "./pi-models.ts";
import type { SharedState } from "./shared-state.ts";

/** Brings `/agy`, the question about permissions and the quota in the footer into one pi session. */
export function registerCommand(pi: ExtensionAPI, parts: RealParts, shared: SharedState): void {
	const { catalogue, log, settingsSource } = parts;
	let environment: Lazy<CommandEnvironment> | undefined;
	const sessionOf = (ctx: ExtensionContext) => shared.sessions.get(ctx.sessionManager.getSessionId())?.session;

	registerAgyCommand(pi, () => {
		if (environment === undefined) throw new Error("The session has not started yet.");
		return environment.get();
	});
	pi.on("session_start", ({ reason }, ctx) => {
		if (ctx.hasUI && (reason === "startup" || reason === "reload")) {
			tellOfUnusable(settingsSource, ctx);
			tellOfRenaming(pi, ctx);
		}
		environment = lazy(async () => {
			const { createCommandEnvironment } = await import("./command-environment.ts");
			return createCommandEnvironment(pi, ctx, parts, shared);
		});
		catalogue.onChange(() => void publishModels(ctx));
		sessionOf(ctx)?.modelSelected(familyOf(ctx.model, catalogue));
	});
	pi.on("model_select", ({ model }, ctx) => {
		sessionOf(ctx)?.modelSelected(familyOf(model, catalogue));
	});
	pi.on("before_agent_start", async (_event, ctx) => {
		if (ctx.model?.provider !== PROVIDER_ID) return;
		// pi ends a run that is only beginning before its first request.
		if (!(await parts.askPermissions(ctx))) ctx.abort();
	});
	pi.on("session_shutdown", async () => {
		catalogue.close();
		await log.flush();
	});
}

/** A setting that was meant and does not count would be noticed late, or never. */
function tellOfUnusable(settings: SettingsSource, ctx: ExtensionContext): void {
	const [first, ...others] = settings.problems();
	if (first === undefined) return;
	const more = others.length === 0 ? "" : ` ${others.length} more: see \`/agy doctor\`.`;
	ctx.ui.notify(`An antigravity setting is wrong: ${describeProblem(first, settings.path)}.${more}`, "warning");
}
