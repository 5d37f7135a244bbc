import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { CommandEnvironment } from "../command/environment.ts";
import { registerAgyCommand } from "../command/register.ts";
import { PROVIDER_ID } from "../models/catalogue-model.ts";
import { afterStart } from "./after-start.ts";
import { type Lazy, lazy } from "./lazy.ts";
import type { RealParts } from "./parts.ts";
import { familyOf, publishModels } from "./pi-models.ts";
import type { SharedState } from "./shared-state.ts";

/** Brings `/agy`, the question about permissions and the quota in the footer into one pi session. */
export function registerCommand(pi: ExtensionAPI, parts: RealParts, shared: SharedState): void {
	const { catalogue, log, settingsSource } = parts;
	let environment: Lazy<CommandEnvironment> | undefined;
	let isFresh = false;
	const sessionOf = (ctx: ExtensionContext) => shared.sessions.get(ctx.sessionManager.getSessionId())?.session;

	registerAgyCommand(pi, () => {
		if (environment === undefined) throw new Error("The session has not started yet.");
		return environment.get();
	});
	pi.on("session_start", ({ reason }, ctx) => {
		isFresh = reason === "startup" || reason === "reload";
		environment = lazy(async () => {
			const { createCommandEnvironment } = await import("./command-environment.ts");
			return createCommandEnvironment(pi, ctx, parts, shared);
		});
		catalogue.onChange(() => void publishModels(ctx));
		sessionOf(ctx)?.modelSelected(familyOf(ctx.model, catalogue));
	});
	afterStart(pi, parts.clock, async (ctx) => {
		if (!isFresh || !ctx.hasUI) return;
		const { warnOfSetUp } = await import("./set-up-warnings.ts");
		warnOfSetUp(pi, ctx, settingsSource);
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
