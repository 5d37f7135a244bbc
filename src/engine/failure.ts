/**
 * Why a run failed, as facts. The words a person reads, and whether pi may retry, are decided pi-side from these.
 * No field ever holds raw stderr.
 */
export type Failure =
	/** The agy binary was not found. */
	| { readonly kind: "not-installed"; readonly searched: readonly string[] }
	/** The binary exists and could not be started. */
	| { readonly kind: "cannot-start"; readonly path: string; readonly cause: string }
	| { readonly kind: "too-old"; readonly version: string; readonly floor: string }
	| { readonly kind: "not-signed-in"; readonly expired: boolean }
	| { readonly kind: "no-network" }
	/** `available`: all there are, as far as they are known. `alike`: those that may have been meant. */
	| {
			readonly kind: "unknown-model";
			readonly model: string;
			readonly available: readonly string[];
			readonly alike?: readonly string[];
	  }
	| { readonly kind: "bad-effort"; readonly model: string; readonly available: readonly string[] }
	| { readonly kind: "flag-rejected"; readonly flag: string }
	| { readonly kind: "quota"; readonly pool?: string; readonly resetAt?: number; readonly adminManaged: boolean }
	| { readonly kind: "rate-limit" }
	| { readonly kind: "overloaded"; readonly code?: number }
	/** agy repeated a call of its model in vain, and was stopped. */
	| { readonly kind: "model-unreachable"; readonly attempts: number; readonly because?: ModelTrouble }
	| { readonly kind: "context-too-long" }
	| { readonly kind: "model-error"; readonly code?: number; readonly status?: string; readonly message: string }
	| { readonly kind: "permission-denied"; readonly action: string; readonly target?: string }
	| { readonly kind: "hook-denied"; readonly hook?: string; readonly reason?: string }
	| { readonly kind: "cancelled-by-agy" }
	| { readonly kind: "print-timeout" }
	| { readonly kind: "deadline"; readonly which: "start-up" | "inactivity" | "total"; readonly seconds: number }
	| { readonly kind: "empty-answer"; readonly promptBytes: number }
	/** The conversation, or its database while it was followed, is gone. `where`: the file and what became of it. */
	| { readonly kind: "conversation-lost"; readonly id: string; readonly where?: string }
	/** agy began another conversation than the one it was to continue, and was stopped. */
	| { readonly kind: "conversation-replaced"; readonly id: string }
	/** Another process is using the conversation. */
	| { readonly kind: "conversation-locked"; readonly id: string; readonly pid?: number }
	/** No conversation, or more than one, could be ours. */
	| { readonly kind: "conversation-unbound"; readonly directory: string; readonly candidates: readonly string[] }
	| { readonly kind: "database-unreadable"; readonly path: string; readonly cause: string }
	/** Something holds the database for now; the conversation itself is sound. */
	| { readonly kind: "database-busy"; readonly path: string; readonly cause: string }
	| { readonly kind: "schema-not-understood"; readonly path: string; readonly cause: string }
	| { readonly kind: "sqlite-missing" }
	/** agy was ended from outside. */
	| { readonly kind: "killed"; readonly signal: string }
	| { readonly kind: "crashed"; readonly exitCode: number; readonly hint?: string }
	/** The request itself cannot be run; `problem` and `remedy` are sentences of ours. */
	| { readonly kind: "bad-request"; readonly problem: string; readonly remedy: string };

/** Why a call of the model did not succeed, where it is known. */
export type ModelTrouble = "rate-limit" | "overloaded" | "no-network";

export type FailureKind = Failure["kind"];
