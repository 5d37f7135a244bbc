/** Hands what one side pushes to the one consumer on the other, in order, however late the consumer comes. */
export class EventQueue<T> implements AsyncIterable<T> {
	readonly #onAbandoned: () => void;
	#waiting: ((result: IteratorResult<T, undefined>) => void)[] = [];
	#items: T[] = [];
	#ended = false;
	#taken = false;

	/** `onAbandoned` is called when the consumer stops before the end. */
	constructor(onAbandoned: () => void = () => {}) {
		this.#onAbandoned = onAbandoned;
	}

	get ended(): boolean {
		return this.#ended;
	}

	/** After the end nothing is taken any more. */
	push(item: T): void {
		if (this.#ended) return;
		const waiting = this.#waiting.shift();
		if (waiting) waiting({ value: item, done: false });
		else this.#items.push(item);
	}

	/** Pushes the last item. Only the first call counts; says whether it was that one. */
	end(last: T): boolean {
		if (this.#ended) return false;
		this.push(last);
		this.#ended = true;
		for (const waiting of this.#waiting.splice(0)) waiting({ value: undefined, done: true });
		return true;
	}

	/** Throws on a second call: what one consumer took is gone for another. */
	[Symbol.asyncIterator](): AsyncIterator<T, undefined> {
		if (this.#taken) throw new Error("These events already have a consumer.");
		this.#taken = true;
		return {
			next: () => this.#next(),
			return: async () => {
				this.#items = [];
				if (!this.#ended) this.#onAbandoned();
				return { value: undefined, done: true };
			},
		};
	}

	#next(): Promise<IteratorResult<T, undefined>> {
		const [item] = this.#items.splice(0, 1);
		if (item !== undefined) return Promise.resolve({ value: item, done: false });
		if (this.#ended) return Promise.resolve({ value: undefined, done: true });
		return new Promise((resolve) => this.#waiting.push(resolve));
	}
}
