/** One measurement of the bench: a file in `measurements/`, run in a process of its own, three times. */
export interface Measurement {
	/** What it measures, for the heading. */
	readonly title: string;
	/** What the second column holds. */
	readonly comparedWith: string;
	run(): Promise<readonly Figure[]>;
}

export interface Figure {
	readonly name: string;
	readonly unit: "ms" | "µs" | "%" | "MB" | "MB/s" | "";
	readonly value: number;
	/** The same for what it is compared with. */
	readonly compared?: number;
	readonly target?: { readonly atMost: number } | { readonly atLeast: number } | "no less than compared";
}
