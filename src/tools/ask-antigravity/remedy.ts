import type { Failure } from "../../engine/failure.ts";
import { failureWords } from "../../words/failure-words.ts";

const CONTINUE = "Continue it by its `conversationId`.";
const OTHER_MODEL = "Delegate again later, or with another `model`.";
const START_ANEW = "Delegate again without `conversationId`, with all that agy must know in the prompt.";

/**
 * What the calling model can do about a failed delegation. It cannot sign in, update or choose pi's model: where only the user
 * can help, it is asked to tell them. `now` is in milliseconds since the epoch.
 */
export function delegationRemedy(failure: Failure, now: number): string {
	switch (failure.kind) {
		case "not-signed-in":
			return "Tell the user to run `agy` once in a terminal and sign in; until then no delegation can work.";
		case "no-network":
			return "Tell the user to check the network and the proxy settings.";
		case "unknown-model":
			return failure.available.length > 0 ? failureWords(failure, now).remedy : "Leave `model` out.";
		case "bad-effort":
			return failure.available.length > 0 ? failureWords(failure, now).remedy : "Leave `thinking` out.";
		case "quota":
			return failure.adminManaged
				? "Tell the user that an administrator can help, or use a `model` of another pool."
				: "Delegate again after the reset, or use a `model` of another pool.";
		case "rate-limit":
			return "Wait a minute before you delegate again.";
		case "overloaded":
		case "model-unreachable":
		case "model-error":
			return OTHER_MODEL;
		case "context-too-long":
			return "Delegate again without `conversationId`, with a shorter prompt and less `context`.";
		case "empty-answer":
			return "Delegate again, with another `model`, or with long material in a file that the prompt names.";
		case "cancelled-by-agy":
		case "killed":
			return CONTINUE;
		case "print-timeout":
			return `${CONTINUE} Tell the user that the setting \`extraArgs\` should not set this limit.`;
		case "deadline":
			return deadlineRemedy(failure.which);
		case "conversation-lost":
		case "conversation-replaced":
		case "database-unreadable":
		case "database-busy":
			return START_ANEW;
		case "conversation-locked":
			return `Wait until the other one is done. Or: ${START_ANEW}`;
		case "conversation-unbound":
			return "Delegate again; if that fails too, tell the user to update agy.";
		case "not-installed":
		case "cannot-start":
		case "too-old":
		case "flag-rejected":
		case "permission-denied":
		case "hook-denied":
		case "schema-not-understood":
		case "sqlite-missing":
		case "crashed":
			return `Tell the user: ${failureWords(failure, now).remedy}`;
		case "bad-request":
			return failure.remedy;
	}
}

function deadlineRemedy(which: Extract<Failure, { kind: "deadline" }>["which"]): string {
	switch (which) {
		case "start-up":
			return "Tell the user to run `agy` in a terminal, to see whether it asks for something.";
		case "inactivity":
			return `${CONTINUE} The setting \`inactivitySeconds\`, which is the user's, says how long agy may be silent.`;
		case "total":
			return "Continue it by its `conversationId`, or allow more with `timeoutMinutes`.";
	}
}
