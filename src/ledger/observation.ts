import type { ExecutorRecord, GenerationRecord, Step } from "../decode/step-types.ts";
import type { StreamMessage } from "../stdout/stream-message.ts";

/**
 * Everything the ledger can learn, from either source, in the order it was seen. The ledger is a pure reducer over
 * these: any interleaving and coalescing of the same facts must give the same message.
 */
export type Observation =
	| ConversationObservation
	| { readonly source: "row"; readonly step: Step }
	/** The conversation shrank to this many rows: agy rewound it. Later rows reuse the indices. */
	| { readonly source: "rewound"; readonly rows: number }
	| { readonly source: "generation"; readonly record: GenerationRecord }
	| { readonly source: "executor"; readonly record: ExecutorRecord }
	/** The database cannot be followed (any more): until a row is seen, stdout is all there is. */
	| { readonly source: "database-lost" }
	| { readonly source: "stdout"; readonly message: StreamMessage }
	| ClosedObservation;

/** Which conversation this run writes. What stdout says about steps is held back until this is known. */
export interface ConversationObservation {
	readonly source: "conversation";
	readonly id: string;
	/** The conversation that was asked for and not honoured: what was known about it is void. */
	readonly insteadOf?: string;
}

/** No more observations will come. */
export interface ClosedObservation {
	readonly source: "closed";
	/** Why the database could not be read to its end, for the person: "… is locked by another process". */
	readonly databaseProblem?: string;
	/** agy is still alive and may finish its background tasks within the grace period. */
	readonly agyLives: boolean;
}
