/** How agy is started for a short question. */
export interface AgyCommand {
	/** Absolute path of the binary. */
	readonly path: string;
	/** Arguments before the question's own, for instance `--gemini_dir=…`. */
	readonly leadingArgs?: readonly string[];
	/** The whole environment of the child. */
	readonly env: NodeJS.ProcessEnv;
}

/** Why a short question got no answer. */
export type AskFailure =
	| { readonly kind: "not-installed"; readonly searched: readonly string[] }
	| { readonly kind: "cannot-start"; readonly path: string; readonly cause: string }
	| { readonly kind: "not-signed-in" }
	| { readonly kind: "no-network" }
	| { readonly kind: "timed-out"; readonly seconds: number }
	| { readonly kind: "too-much-output" }
	| { readonly kind: "cancelled" }
	| { readonly kind: "too-old"; readonly needs: string; readonly version: string }
	/** agy answered, and not in a form that is known. */
	| { readonly kind: "not-understood" }
	| { readonly kind: "exit"; readonly code: number };
