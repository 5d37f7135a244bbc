import type { AgyEvent, StepRef, ToolEvent } from "../engine/events.ts";
import type { StreamResult } from "../stdout/stream-message.ts";
import type { DeniedAction } from "./facts.ts";
import * as notices from "./notices.ts";

/** What agy was not allowed to do. Steps say it with the target, the result says it again without: each is told once. */
export class DeniedActions {
	readonly #all: DeniedAction[] = [];

	get all(): readonly DeniedAction[] {
		return this.#all;
	}

	fromTool(tool: ToolEvent): AgyEvent[] {
		const denied = tool.error?.denied;
		if (tool.error === undefined || denied === undefined) return [];
		const target = denied.target ?? tool.summary;
		const reason = denied.by === "hook" ? hookReason(tool.error.message) : "";
		const action: DeniedAction = {
			by: denied.by,
			action: denied.action ?? tool.name,
			tool: tool.name,
			...(target !== "" && { target }),
			...(reason !== "" && { reason }),
		};
		return this.#add(action, tool.step);
	}

	fromResult(result: StreamResult | undefined): AgyEvent[] {
		const told = this.#all.length;
		return (result?.deniedActions ?? []).flatMap(({ action, displayName }) => {
			const known = this.#all.slice(0, told).some((denied) => isSame(denied, action, displayName));
			if (known) return [];
			return this.#add({ by: "permission", action, ...(displayName !== undefined && { tool: displayName }) });
		});
	}

	#add(denied: DeniedAction, step?: StepRef): AgyEvent[] {
		this.#all.push(denied);
		return [notices.denied(denied, step)];
	}
}

/** agy says `tool call denied by pre-tool hook:` and then the hook's own reason, if it gave one. */
function hookReason(message: string): string {
	const denial = /denied by [^:]*(?::(.*))?$/s.exec(message);
	return (denial === null ? message : (denial[1] ?? "")).trim();
}

/** agy names an action (`command`) and a tool (`RunCommand`); steps name the tool in another form (`run_command`). */
function isSame(denied: DeniedAction, action: string, displayName: string | undefined): boolean {
	if (denied.action === action) return true;
	return displayName !== undefined && denied.tool !== undefined && plain(denied.tool) === plain(displayName);
}

function plain(name: string): string {
	return name.toLowerCase().replace(/[^a-z]/g, "");
}
