import type { ActivityEvent, AgyEvent, EndEvent, NoticeEvent, TokenUsage, ToolEvent } from "../../engine/events.ts";
import { stepKey } from "../../provider/step-card.ts";

/** One piece of the answer, or the place of a step among them. */
type Part = { readonly kind: "text"; text: string } | { readonly kind: "step" };

/** Gathers what a run of agy tells, for the report about it. No clock, no I/O. */
export class WorkLog {
	readonly #parts = new Map<string, Part>();
	readonly #steps = new Map<string, ToolEvent>();
	readonly #notices: NoticeEvent[] = [];
	#usage: TokenUsage | undefined;
	#activity: ActivityEvent | undefined;
	#conversationId: string | undefined;
	#end: EndEvent | undefined;

	take(event: AgyEvent): void {
		switch (event.type) {
			case "conversation":
				this.#conversationId = event.id;
				break;
			case "text":
				this.#textAt(stepKey(event.step)).text += event.delta;
				break;
			case "rewrite":
				if (event.block === "text") this.#textAt(stepKey(event.step)).text = event.text;
				break;
			case "tool":
				this.#addStep(event);
				break;
			case "usage":
				this.#usage = this.#usage === undefined ? event.usage : sum(this.#usage, event.usage);
				break;
			case "activity":
				this.#activity = event;
				break;
			case "notice":
				this.#notices.push(event);
				break;
			case "end":
				this.#end = event;
				break;
			case "thinking":
			case "generation":
			case "title":
			case "subagent":
				break;
		}
	}

	/** What agy said after its last step; if that is nothing, what it said last. */
	get answer(): string {
		const parts = [...this.#parts.values()];
		const lastStep = parts.findLastIndex((part) => part.kind === "step");
		const texts = (some: readonly Part[]) =>
			some.flatMap((part) => (part.kind === "text" && part.text.trim() !== "" ? [part.text.trim()] : []));
		const after = texts(parts.slice(lastStep + 1));
		return after.length > 0 ? after.join("\n\n") : (texts(parts).at(-1) ?? "");
	}

	/** In the order in which they began, each as it was last told. */
	get steps(): readonly ToolEvent[] {
		return [...this.#steps.values()];
	}

	get notices(): readonly NoticeEvent[] {
		return this.#notices;
	}

	/** The sum over all model calls, agy's side calls included; undefined where agy told none. */
	get usage(): TokenUsage | undefined {
		return this.#usage;
	}

	get activity(): ActivityEvent | undefined {
		return this.#activity;
	}

	get conversationId(): string | undefined {
		return this.#conversationId ?? this.#end?.progress.conversationId;
	}

	/** Undefined while the run goes on. */
	get end(): EndEvent | undefined {
		return this.#end;
	}

	#textAt(key: string): { text: string } {
		const place = `text ${key}`;
		const known = this.#parts.get(place);
		if (known?.kind === "text") return known;
		const made = { kind: "text" as const, text: "" };
		this.#parts.set(place, made);
		return made;
	}

	#addStep(step: ToolEvent): void {
		const key = stepKey(step.step);
		if (!this.#steps.has(key)) this.#parts.set(`step ${key}`, { kind: "step" });
		this.#steps.set(key, step);
	}
}

function sum(a: TokenUsage, b: TokenUsage): TokenUsage {
	return {
		input: a.input + b.input,
		output: a.output + b.output,
		reasoning: a.reasoning + b.reasoning,
		cacheRead: a.cacheRead + b.cacheRead,
		cacheWrite: a.cacheWrite + b.cacheWrite,
	};
}
