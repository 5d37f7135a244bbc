import type { StreamMessage } from "../stdout/stream-message.ts";
import type { ExecutorRecord, GenerationRecord, Step } from "../tail/step-types.ts";

/**
 * Everything the ledger can learn, from either source, in the order it was seen. The ledger is a pure reducer over
 * these: any interleaving and coalescing of the same facts must give the same message.
 */
export type Observation =
	| { readonly source: "row"; readonly step: Step }
	/** The conversation shrank to this many rows: agy rewound it. Later rows reuse the indices. */
	| { readonly source: "rewound"; readonly rows: number }
	| { readonly source: "generation"; readonly record: GenerationRecord }
	| { readonly source: "executor"; readonly record: ExecutorRecord }
	| { readonly source: "stdout"; readonly message: StreamMessage }
	/** No more observations will come. `fatal`: the database could not be read to its end. */
	| { readonly source: "closed"; readonly databaseComplete: boolean };
