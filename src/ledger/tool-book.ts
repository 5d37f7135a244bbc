import type { PlannedCall, Step, ToolBody } from "../decode/step-types.ts";
import type { AgyEvent, ToolEvent } from "../engine/events.ts";
import type { StreamResult, StreamStep } from "../stdout/stream-message.ts";
import { DeniedActions } from "./denied-actions.ts";
import type { DeniedAction } from "./facts.ts";
import type { StepEntries, StepEntry } from "./step-entries.ts";
import { type ToolContext, ToolTrack } from "./tool-track.ts";

/** The tools of this run: which are open, which ended, and what the model calls said about them. */
export class ToolBook {
	readonly #entries: StepEntries;
	readonly #planned = new Map<string, PlannedCall>();
	readonly #open = new Set<ToolTrack>();
	readonly #denied = new DeniedActions();
	#newestPlannerRow = -1;
	#databaseLost = false;
	#done = 0;
	#abandonedBegan = false;

	constructor(entries: StepEntries) {
		this.#entries = entries;
	}

	/** Tools that finished their work. */
	get done(): number {
		return this.#done;
	}

	/** A tool began that was not refused. */
	get began(): boolean {
		return this.#abandonedBegan || this.#entries.all.some((entry) => entry.tool?.began);
	}

	/**
	 * Those that run or wait in the foreground, and those in the background. Once the turn is `over`, agy waits for none that
	 * runs, whether it was called a background task or not: its row may stay as it is for ever.
	 */
	unfinished(over: boolean): {
		readonly openTools: readonly ToolEvent[];
		readonly backgroundTools: readonly ToolEvent[];
	} {
		const tools = [...this.#open].filter((tool) => !tool.taskOver);
		const isInBackground = (tool: ToolTrack) => tool.inBackground || (over && tool.told?.state === "running");
		return {
			openTools: tools.filter((tool) => !isInBackground(tool)).flatMap((tool) => tool.told ?? []),
			backgroundTools: tools.filter(isInBackground).flatMap((tool) => tool.told ?? []),
		};
	}

	get denied(): readonly DeniedAction[] {
		return this.#denied.all;
	}

	/** Whether the database is lost, so that stdout alone tells about tools. Tells nothing by itself; update the tools afterwards. */
	databaseIsLost(lost: boolean): void {
		this.#databaseLost = lost;
	}

	fromRow(entry: StepEntry, step: Step, body: ToolBody): AgyEvent[] {
		this.#trackOf(entry).fromRow(step.status, body);
		return this.update(entry);
	}

	fromStdout(entry: StepEntry, message: StreamStep): AgyEvent[] {
		if (entry.rowKind === "silent" && entry.tool === undefined && message.toolName === undefined) return [];
		this.#trackOf(entry).fromStdout(message);
		return this.update(entry);
	}

	/** The row turned out to be no tool's. If stdout spoke of this step without naming a tool, it meant that row. */
	rowIsSilent(entry: StepEntry): AgyEvent[] {
		const tool = entry.tool;
		if (tool === undefined || tool.isNamed || tool.told !== undefined) return this.update(entry);
		this.#open.delete(tool);
		entry.tool = undefined;
		return [];
	}

	/** A model call asked for these tools. That its row is there also tells that all rows before it have been written. */
	fromPlanner(index: number, calls: readonly PlannedCall[]): AgyEvent[] {
		this.#newestPlannerRow = Math.max(this.#newestPlannerRow, index);
		for (const call of calls) this.#planned.set(call.id, call);
		return this.#updateAll();
	}

	/** A background task reported its end with these words. Returns whether it is one of ours. */
	taskEnded(sender: string, report: string): boolean {
		const theirs = this.#entries.all.flatMap(({ tool }) => (tool && isTask(tool.told, sender) ? [tool] : []));
		for (const tool of theirs) tool.taskHasEnded(report);
		return theirs.length > 0;
	}

	update(entry: StepEntry): AgyEvent[] {
		return entry.tool ? this.#tell(entry.tool, entry.tool.update(this.#contextOf(entry.tool))) : [];
	}

	close(entry: StepEntry, because: string): AgyEvent[] {
		const tool = entry.tool;
		if (tool === undefined) return [];
		return tool.close(this.#contextOf(tool), because).flatMap((event) => this.#tell(tool, event));
	}

	/** agy rewound the conversation past this step. */
	abandon(entry: StepEntry): AgyEvent[] {
		this.#abandonedBegan ||= entry.tool?.began === true;
		return this.close(entry, "agy rewound the conversation past this step.");
	}

	deniedByResult(result: StreamResult | undefined): AgyEvent[] {
		return this.#denied.fromResult(result);
	}

	#updateAll(): AgyEvent[] {
		return [...this.#open].flatMap((tool) => this.#tell(tool, tool.update(this.#contextOf(tool))));
	}

	#tell(tool: ToolTrack, event: ToolEvent | undefined): AgyEvent[] {
		if (event === undefined) return [];
		if (!tool.ended || !this.#open.delete(tool)) return [event];
		if (event.state === "done") this.#done++;
		return [event, ...this.#denied.fromTool(event)];
	}

	#contextOf(tool: ToolTrack): ToolContext {
		const { index } = tool.ref;
		const kind = this.#entries.find(index)?.rowKind;
		const rowIsNoTool = kind !== undefined && kind !== "tool";
		return {
			stdoutCounts: this.#databaseLost || rowIsNoTool || index < this.#newestPlannerRow,
			plannedCall: (id) => this.#planned.get(id),
		};
	}

	#trackOf(entry: StepEntry): ToolTrack {
		if (entry.tool === undefined) {
			entry.tool = new ToolTrack(entry.ref, `step-${entry.ref.index}`);
			this.#open.add(entry.tool);
		}
		return entry.tool;
	}
}

/** A task's id is `<conversation>/task-N`; messages may name it without the conversation. */
function isTask(told: ToolEvent | undefined, sender: string): boolean {
	const id = told?.task?.id;
	return id !== undefined && sender !== "" && (id === sender || id.endsWith(`/${sender}`));
}
