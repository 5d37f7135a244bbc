import type { AskFailure } from "../run/agy/ask-agy.ts";
import { INSTALL_AGY, placesSearched } from "../words/failure-words.ts";

/** A failure in one sentence for people, and what to do about it. */
export function describeAskFailure(failure: AskFailure): { readonly problem: string; readonly remedy: string } {
	switch (failure.kind) {
		case "not-installed":
			return {
				problem: `agy was not found (${placesSearched(failure.searched)}).`,
				remedy: INSTALL_AGY,
			};
		case "cannot-start":
			return {
				problem: `agy could not be started: ${failure.path} (${failure.cause}).`,
				remedy: "Check that the file is executable and made for this machine.",
			};
		case "not-signed-in":
			return { problem: "agy is not signed in.", remedy: "Run `agy` in a terminal once and sign in." };
		case "no-network":
			return { problem: "agy could not reach Google.", remedy: "Check the network and the proxy." };
		case "timed-out":
			return {
				problem: `agy gave no answer within ${failure.seconds} seconds.`,
				remedy: "Run `agy` in a terminal: it may be waiting for you to sign in.",
			};
		case "too-much-output":
			return { problem: "agy printed far more than an answer.", remedy: "Check that AGY_BIN is really agy." };
		case "cancelled":
			return { problem: "The question was cancelled.", remedy: "Ask again." };
		case "too-old":
			return {
				problem: `This needs agy ${failure.needs} or later; ${failure.version} is installed.`,
				remedy: "Run `agy update`.",
			};
		case "not-understood":
			return {
				problem: "agy's answer could not be understood.",
				remedy: "Run `agy update`; if that does not help, update this extension.",
			};
		case "exit":
			return {
				problem: `agy ended with exit code ${failure.code}.`,
				remedy: "Run `agy` in a terminal to see what it says.",
			};
	}
}
