import { type AgentToolResult, type AgentToolUpdateCallback, defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import type { Clock } from "../../engine/clock.ts";
import { CARD_TOOL, type StepCard } from "../../provider/step-card.ts";
import type { StepDetails } from "./details.ts";
import type { OutputFiles } from "./output-files.ts";
import { readPictures } from "./pictures.ts";
import { renderStepCall, stepResultRenderer } from "./render.ts";
import { needsFile, type StepView, stepResult } from "./result.ts";

const parameters = Type.Object({
	kind: Type.String(),
	tool: Type.String(),
	summary: Type.String(),
});

export interface StepToolOptions {
	card(id: string): StepCard | undefined;
	/** Absolute. */
	cwd(): string;
	permissions(): "skip" | "deny";
	/** The details of a card whose result is in the session already. */
	recorded(id: string): unknown;
	readonly files: OutputFiles;
	readonly clock: Clock;
}

/** Growing output is drawn at most this often. */
const UPDATE_MS = 100;

/**
 * The tool behind agy's cards. agy has run the step by itself; executing the tool only follows it. Its declaration is hidden
 * from every model, so none can call it, and no other tool may either.
 */
export function createStepTool(options: StepToolOptions) {
	return defineTool({
		name: CARD_TOOL,
		label: "agy",
		description: "Shows a step that Antigravity ran by itself.",
		exposure: "model-only",
		parameters,
		prepareLoadout: () => ({ hiddenDeclarations: [CARD_TOOL] }),
		async execute(id, _params, signal, onUpdate): Promise<AgentToolResult<StepDetails | undefined>> {
			const card = options.card(id);
			if (card === undefined) return unknownCard();
			card.markExecuted();
			await followCard(card, signal, onUpdate, options);
			const output = card.step.output;
			const path = output !== undefined && needsFile(output) ? await options.files.keep(id, output) : undefined;
			const view = { ...viewOf(card, options), end: card.end ?? "stopped" };
			const { text, details, isError } = stepResult(path === undefined ? view : { ...view, outputPath: path });
			const pictures = await readPictures(card.step.imagePaths ?? []);
			return { content: [{ type: "text", text }, ...pictures], details, isError };
		},
		renderCall: (args, theme, context) =>
			renderStepCall(args, theme, context, () => options.recorded(context.toolCallId)),
		renderResult: stepResultRenderer(options.clock),
	});
}

/** Passes the step's changes on until the card ends or pi gives up. */
async function followCard(
	card: StepCard,
	signal: AbortSignal | undefined,
	onUpdate: AgentToolUpdateCallback<StepDetails | undefined> | undefined,
	options: StepToolOptions,
): Promise<void> {
	if (card.end !== undefined || signal?.aborted) return;
	let cancelUpdate: (() => void) | undefined;
	const update = () => {
		cancelUpdate = undefined;
		const { text, details } = stepResult({ ...viewOf(card, options), end: undefined });
		onUpdate?.({ content: [{ type: "text", text }], details });
	};
	update();
	await new Promise<void>((resolve) => {
		const unsubscribe = card.onChange(() => {
			if (card.end !== undefined) finish();
			else cancelUpdate ??= options.clock.after(UPDATE_MS, update);
		});
		const finish = () => {
			unsubscribe();
			signal?.removeEventListener("abort", finish);
			resolve();
		};
		signal?.addEventListener("abort", finish, { once: true });
	});
	cancelUpdate?.();
}

function viewOf({ step, isSecond }: StepCard, { cwd, permissions }: StepToolOptions): Omit<StepView, "end"> {
	return { step, isSecond, cwd: cwd(), permissions: permissions() };
}

function unknownCard(): AgentToolResult<undefined> {
	const text = "This tool only shows what Antigravity did; there is no such step.";
	return { content: [{ type: "text", text }], details: undefined, isError: true };
}
