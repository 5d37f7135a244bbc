import { stripVTControlCharacters } from "node:util";
import { type AgentToolResult, ToolExecutionComponent } from "@earendil-works/pi-coding-agent";
import type { TUI } from "@earendil-works/pi-tui";
import type { StepDetails } from "../../../../src/tools/agy-step/details.ts";
import type { createStepTool } from "../../../../src/tools/agy-step/tool.ts";

type Result = AgentToolResult<StepDetails | undefined>;

/** The lines of a card as pi's own component draws them, without colours and padding. */
export function drawCard(...args: Parameters<typeof drawRaw>): string[] {
	return plain(drawRaw(...args));
}

export function plain(lines: readonly string[]): string[] {
	return lines.map((line) => stripVTControlCharacters(line).trimEnd()).filter((line) => line !== "");
}

/** The same as it goes to the terminal. */
export function drawRaw(
	stepTool: ReturnType<typeof createStepTool>,
	result: Result,
	look: { width: number; expanded: boolean },
): readonly string[] {
	return growingCard(stepTool, result).draw(result, { ...look, isPartial: false });
}

/** A card that is drawn several times, as its step goes on. */
export function growingCard(stepTool: ReturnType<typeof createStepTool>, first: Result) {
	const parameters = { kind: "command", tool: "run_command", summary: first.details?.summary ?? "" };
	const ui = { requestRender() {} } as unknown as TUI;
	const card = new ToolExecutionComponent(stepTool.name, "id", parameters, {}, stepTool, ui, "/home/me/project");
	return {
		draw(result: Result, look: { width: number; expanded: boolean; isPartial: boolean }): readonly string[] {
			const { content, details, isError = false } = result;
			card.updateResult({ content, details, isError } as never, look.isPartial);
			card.setExpanded(look.expanded);
			return card.render(look.width);
		},
		/** As it stands, without anything new. */
		redraw: (width: number) => card.render(width),
	};
}
