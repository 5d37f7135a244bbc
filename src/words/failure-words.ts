import type { Failure, ModelTrouble } from "../engine/failure.ts";
import { chooseModel } from "./choose-model.ts";
import { formatDuration } from "./duration.ts";
import { permittedAction } from "./permission.ts";
import { formatTime } from "./time-of-day.ts";

/**
 * What pi should make of a failure when agy has done nothing yet.
 * - `final`: tell the person.
 * - `retry`: pi waits a moment and sends the same prompt again.
 * - `overflow`: pi compacts the session and sends the prompt again.
 */
export type FailureClass = "final" | "retry" | "overflow";

/** One sentence of cause and one of remedy. */
export interface FailureWords {
	readonly cause: string;
	readonly remedy: string;
	readonly class: FailureClass;
	/** The cause without anything that was not written by us, for when foreign words would mislead pi. */
	readonly plainCause: string;
}

/** What to do where there is no agy. */
export const INSTALL_AGY =
	"Install Google's Antigravity CLI (https://antigravity.google), or set AGY_BIN to the binary.";

/** `now` is in milliseconds since the epoch; clock times are given in the zone of this machine. */
export function failureWords(failure: Failure, now: number): FailureWords {
	switch (failure.kind) {
		case "not-installed":
			return final(
				`The agy command was not found (${placesSearched(failure.searched)}).`,
				INSTALL_AGY,
				"The agy command was not found.",
			);
		case "cannot-start":
			return final(
				`agy could not be started from ${failure.path}: ${failure.cause}.`,
				"Run it once in a terminal; if that fails too, install it again.",
				"agy could not be started.",
			);
		case "too-old":
			return final(
				`agy ${failure.version} is too old; at least ${failure.floor} is needed.`,
				"Update it with `agy update`.",
				"This agy is too old.",
			);
		case "not-signed-in":
			return final(
				failure.expired ? "agy's sign-in has expired." : "agy is not signed in.",
				"Run `agy` in a terminal, sign in, and send the message again.",
			);
		case "no-network":
			return {
				...final(
					"agy could not reach Google.",
					"Check the network and the proxy settings, then send the message again.",
				),
				class: "retry",
			};
		case "unknown-model":
			return final(
				`agy does not know the model ${failure.model}.`,
				failure.available.length > 0
					? chooseModel(failure)
					: "Choose another with /model; `/agy models refresh` brings the list up to date.",
				"agy does not know this model.",
			);
		case "bad-effort":
			return final(
				`${failure.model} does not have this thinking level.`,
				failure.available.length > 0
					? `It has: ${failure.available.join(", ")}.`
					: "It has no levels; switch thinking off for it.",
				"The model does not have this thinking level.",
			);
		case "flag-rejected":
			return final(
				failure.flag === ""
					? "agy does not accept one of its options."
					: `agy does not accept the option ${failure.flag}.`,
				"Update agy with `agy update`, or remove the option from the setting `extraArgs`.",
				"agy does not accept one of its options.",
			);
		case "quota":
			return quota(failure, now);
		case "rate-limit":
			return {
				...final("Google is limiting how fast requests may come.", "Wait a minute, then send the message again."),
				class: "retry",
			};
		case "overloaded":
			return {
				...final("Google has no capacity for this model right now.", "Wait a moment or choose another model."),
				class: "retry",
			};
		case "model-unreachable":
			return final(
				`agy asked its model ${failure.attempts} times in vain${failure.because === undefined ? "" : ` (${TROUBLES[failure.because]})`}, and was stopped.`,
				"Wait some minutes, then send a message to go on, or choose another model.",
				"agy asked its model many times in vain, and was stopped.",
			);
		case "context-too-long":
			return {
				...final("The conversation is too long for the model.", "Use /compact or start a new session with /new."),
				class: "overflow",
			};
		case "model-error":
			return modelError(failure);
		case "permission-denied":
			return final(
				failure.action === "unknown"
					? "agy waits for a permission, which cannot be given here."
					: `agy was not allowed ${permittedAction(failure.action, failure.target)}.`,
				"`/agy permissions skip` allows it, as does a rule in agy's own permissions, where no policy forbids it.",
				"agy was not allowed to do something.",
			);
		case "hook-denied":
			return final(
				`A hook${failure.hook ? ` (${failure.hook})` : ""} in agy's own settings refused a step${failure.reason ? `: ${failure.reason}` : " without giving a reason"}.`,
				"`/agy doctor` names such hooks; correct or remove that one.",
				"A hook in agy's own settings refused a step.",
			);
		case "cancelled-by-agy":
			return final("agy cancelled the turn by itself.", "Send a message to go on in the same conversation.");
		case "print-timeout":
			return final(
				"agy reached its own limit for a turn and stopped.",
				"Send a message to go on; the setting `extraArgs` should not set this limit.",
			);
		case "deadline":
			return deadline(failure);
		case "empty-answer":
			return final(
				failure.promptBytes >= LONG_PROMPT_BYTES
					? `agy gave no answer to a prompt of ${Math.ceil(failure.promptBytes / 1024)} KB.`
					: "agy gave no answer.",
				failure.promptBytes >= LONG_PROMPT_BYTES
					? "Send a shorter message, or put the long part into a file and name it."
					: "Send the message again, or choose another model.",
				"agy gave no answer.",
			);
		case "conversation-lost":
			return final(
				`agy's conversation ${failure.id} is gone${failure.where ? ` (${failure.where})` : ""}.`,
				"Send the message again; it starts a new conversation with what pi remembers.",
				"agy's conversation is gone.",
			);
		case "conversation-replaced":
			return {
				...final(
					`agy began a new conversation instead of continuing ${failure.id}, and was stopped.`,
					"Sent again, the message goes to a new conversation that is told what pi remembers.",
					"agy began a new conversation instead of continuing the old one, and was stopped.",
				),
				class: "retry",
			};
		case "conversation-locked":
			return final(
				`Another process${failure.pid === undefined ? "" : ` (pid ${failure.pid})`} is using agy's conversation ${failure.id}.`,
				"End it there, or fork this session.",
				"Another process is using agy's conversation.",
			);
		case "conversation-unbound":
			return final(
				unbound(failure),
				"Update agy, or end other agy processes, then send the message again.",
				"It could not be told which conversation agy writes.",
			);
		case "database-unreadable":
			return final(
				`agy's database ${failure.path} cannot be read: ${failure.cause}.`,
				"Check the file and its permissions; /new starts another conversation.",
				"agy's database cannot be read.",
			);
		case "database-busy":
			return final(
				`agy's database ${failure.path} cannot be read just now: ${failure.cause}.`,
				"Close what has it open, and send the message again; /agy conversation new starts another conversation.",
				"agy's database cannot be read just now.",
			);
		case "schema-not-understood":
			return final(
				`agy's database ${failure.path} has a form this version does not know: ${failure.cause}.`,
				"Update pi-antigravity-cli.",
				"agy's database has a form this version does not know.",
			);
		case "sqlite-missing":
			return final("This pi has no SQLite (node:sqlite).", "Run pi with Node 22.19 or newer.");
		case "killed":
			return final(
				`agy was ended from outside (${failure.signal}).`,
				"Send a message to go on in the same conversation.",
				"agy was ended from outside.",
			);
		case "crashed":
			return final(
				`agy stopped with exit code ${failure.exitCode}${failure.hint ? `: ${failure.hint}` : ""}.`,
				"`/agy logs` shows what it said last; `/agy doctor` checks the installation.",
				"agy stopped unexpectedly.",
			);
		case "bad-request":
			return final(failure.problem, failure.remedy);
	}
}

const TROUBLES: Readonly<Record<ModelTrouble, string>> = {
	"rate-limit": "Google limits how fast requests may come",
	overloaded: "Google has no capacity for it",
	"no-network": "Google could not be reached",
};

/** Where a binary was looked for, in few words however many places there are. */
export function placesSearched(searched: readonly string[]): string {
	if (searched.length <= 3) return `looked in: ${searched.join(", ") || "PATH"}`;
	return `looked in ${searched.length} places; \`/agy doctor --verbose\` lists them`;
}

/** agy was seen to drop prompts of about 25 KB without a word; from here on the length is worth a thought. */
const LONG_PROMPT_BYTES = 16 * 1024;

function final(cause: string, remedy: string, plainCause = cause): FailureWords {
	return { cause, remedy, class: "final", plainCause };
}

function quota({ pool, resetAt, adminManaged }: Extract<Failure, { kind: "quota" }>, now: number): FailureWords {
	const quotaName = pool ? `Antigravity quota (${pool})` : "Antigravity quota";
	const reset = resetAt === undefined ? "" : `; ${resetText(resetAt, now)}`;
	if (adminManaged) {
		return final(
			`The ${quotaName} of this account is used up; an administrator manages it${reset}.`,
			"Ask the administrator, or choose a model of another pool.",
			"The Antigravity quota of this account is used up.",
		);
	}
	return final(
		`The ${quotaName} is used up${reset}.`,
		"Wait for the reset, or choose a model of another pool.",
		"The Antigravity quota is used up.",
	);
}

/** `resets in 3 h 38 min (16:40)`. */
function resetText(resetAt: number, now: number): string {
	if (resetAt <= now) return "it should be available again";
	return `resets in ${formatDuration(resetAt - now)} (${formatTime(resetAt, { now })})`;
}

function unbound({ directory, candidates }: Extract<Failure, { kind: "conversation-unbound" }>): string {
	const [first, ...more] = candidates;
	if (first === undefined) return `agy did not show which conversation it writes in ${directory}.`;
	return more.length === 0
		? `It could not be told whether ${first}.db in ${directory} is agy's conversation.`
		: `It could not be told which of ${candidates.length} conversations in ${directory} is agy's.`;
}

function modelError(failure: Extract<Failure, { kind: "model-error" }>): FailureWords {
	const transient = failure.code !== undefined && failure.code >= 500;
	const words = final(
		`The model call failed: ${failure.message || failure.status || "no reason given"}.`.replace(/\.\.$/, "."),
		"Send the message again, or choose another model.",
		"The model call failed.",
	);
	return { ...words, class: transient ? "retry" : "final" };
}

function deadline(failure: Extract<Failure, { kind: "deadline" }>): FailureWords {
	const length = formatDuration(failure.seconds * 1000);
	switch (failure.which) {
		case "start-up":
			return final(
				`agy showed no sign of life within ${length}.`,
				"Run `agy` in a terminal to see whether it asks for something; the setting `startUpSeconds` says how long.",
			);
		case "inactivity":
			return final(
				`agy was silent for ${length} and was stopped.`,
				"Send a message to go on; the setting `inactivitySeconds` says how long.",
			);
		case "total":
			return final(
				`agy worked for ${length}, the longest a turn may take, and was stopped.`,
				"Send a message to go on; the setting `turnSeconds` says how long.",
			);
	}
}
