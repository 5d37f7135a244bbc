import { stripVTControlCharacters } from "node:util";
import { type AgentToolResult, ToolExecutionComponent } from "@earendil-works/pi-coding-agent";
import type { TUI } from "@earendil-works/pi-tui";
import type { StepDetails } from "../../../../src/tools/agy-step/details.ts";
import type { createStepTool } from "../../../../src/tools/agy-step/tool.ts";

/** The lines of a card as pi's own component draws them, without colours and padding. */
export function drawCard(...args: Parameters<typeof drawRaw>): string[] {
	return drawRaw(...args)
		.map((line) => stripVTControlCharacters(line).trimEnd())
		.filter((line) => line !== "");
}

/** The same as it goes to the terminal. */
export function drawRaw(
	stepTool: ReturnType<typeof createStepTool>,
	result: AgentToolResult<StepDetails | undefined>,
	{ width, expanded }: { width: number; expanded: boolean },
): readonly string[] {
	const parameters = { kind: "command", tool: "run_command", summary: result.details?.summary ?? "" };
	const ui = { requestRender() {} } as unknown as TUI;
	const card = new ToolExecutionComponent(stepTool.name, "id", parameters, {}, stepTool, ui, "/home/me/project");
	card.updateResult({ content: result.content, details: result.details, isError: result.isError ?? false } as never);
	card.setExpanded(expanded);
	return card.render(width);
}
