import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { Clock } from "../engine/clock.ts";

type RenderContext = Parameters<NonNullable<ToolDefinition["renderResult"]>>[3];

/** What a card with a running time keeps between its drawings. */
export interface TickState {
	cancelTick?: () => void;
}

const TICK_MS = 1000;

/** Has a card drawn again in a second while its result is partial, so that its elapsed time moves. Call with every drawing. */
export function tickWhileRunning(
	isPartial: boolean,
	clock: Clock,
	{ state, invalidate }: { state: TickState } & Pick<RenderContext, "invalidate">,
): void {
	state.cancelTick?.();
	delete state.cancelTick;
	if (isPartial) state.cancelTick = clock.after(TICK_MS, () => invalidate());
}
