import { isInsideAgy } from "../run/process/environment.ts";

/** Set in pi's environment, and so in that of everything it starts, while pi runs a tool for agy. */
const VARIABLE = "PI_ANTIGRAVITY_BRIDGED_CALL";

/**
 * Keeps agy from being offered pi's tools by a pi that agy itself has caused to run: through a bridged tool (which may start a
 * pi, or a session in this process), or through one of its own commands. Each could start the next for ever.
 */
export class LoopGuard {
	readonly #env: NodeJS.ProcessEnv;
	readonly #wasStartedByAgy: boolean;
	#calls = 0;

	constructor(env: NodeJS.ProcessEnv) {
		this.#env = env;
		this.#wasStartedByAgy = isInsideAgy(env) || env[VARIABLE] !== undefined;
	}

	/** Whether a run that begins now must do without the bridge. */
	get forbids(): boolean {
		return this.#wasStartedByAgy || this.#calls > 0;
	}

	/** pi runs one more tool for agy; call the returned function, once or more, when it has ended. */
	enter(): () => void {
		this.#calls++;
		this.#env[VARIABLE] = "1";
		let entered = true;
		return () => {
			if (!entered) return;
			entered = false;
			this.#calls--;
			if (this.#calls === 0) delete this.#env[VARIABLE];
		};
	}
}
