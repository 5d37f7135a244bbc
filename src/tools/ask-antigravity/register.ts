import { defineTool, type ExtensionAPI, type ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Clock } from "../../engine/clock.ts";
import type { Log } from "../../engine/log.ts";
import type { AskParts, Delegator } from "./delegator.ts";
import { otherOwner } from "./guard.ts";
import { ASK_DESCRIPTION, ASK_GUIDELINES, ASK_SNIPPET, ASK_TOOL, askParameters, withoutBlanks } from "./parameters.ts";
import { askResultRenderer, renderAskCall } from "./render.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Offers the tool to other models, as the setting says when a turn begins. It is registered when the session starts: only then
 * is it known which other extensions have one of that name, and pi reports two that are there from the beginning as an error
 * of the later one.
 */
export function registerAskAntigravity(pi: ExtensionAPI, parts: AskParts): void {
	let delegator: Promise<Delegator> | undefined;
	/** `theirs`: another extension has a tool of this name. */
	let state: "unknown" | "offered" | "withdrawn" | "theirs" = "unknown";
	/** What a delegation takes is imported with the first one: pi's start does not wait for it. */
	const load = () => {
		delegator ??= import("./delegator.ts").then(({ Delegator }) => {
			const made = new Delegator(parts);
			void made.prune(parts.clock.now() - parts.settings().sessionDays * DAY_MS);
			return made;
		});
		return delegator;
	};

	function followSetting(ctx: ExtensionContext): void {
		const wanted = parts.settings().askAntigravity;
		const active = pi.getActiveTools();
		if (wanted && state === "unknown") {
			const other = otherOwner(pi.getAllTools());
			state = other === undefined ? "offered" : "theirs";
			if (other === undefined) pi.registerTool(askTool(load, parts.clock));
			else stepBack(other, ctx, parts.log);
		} else if (wanted && state === "withdrawn") {
			state = "offered";
			pi.setActiveTools([...active, ASK_TOOL]);
		} else if (!wanted && state === "offered" && active.includes(ASK_TOOL)) {
			state = "withdrawn";
			pi.setActiveTools(active.filter((name) => name !== ASK_TOOL));
		}
	}

	pi.on("session_start", (_event, ctx) => followSetting(ctx));
	pi.on("before_agent_start", (_event, ctx) => followSetting(ctx));
	pi.on("session_shutdown", async () => (await delegator)?.close());
}

function stepBack(other: string, ctx: ExtensionContext, log: Log): void {
	log.info("ask.stepped-back", { other });
	ctx.ui.notify(`${other} already offers ${ASK_TOOL}, so that of pi-antigravity-cli is not used.`, "warning");
}

function askTool(delegator: () => Promise<Delegator>, clock: Clock) {
	return defineTool({
		name: ASK_TOOL,
		label: "Antigravity",
		description: ASK_DESCRIPTION,
		promptSnippet: ASK_SNIPPET,
		promptGuidelines: ASK_GUIDELINES,
		parameters: askParameters,
		prepareArguments: withoutBlanks,
		annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
		async execute(id, params, signal, onUpdate, ctx) {
			return (await delegator()).delegate(params, ctx, { id, signal, onUpdate });
		},
		renderCall: renderAskCall,
		renderResult: askResultRenderer(clock),
	});
}
