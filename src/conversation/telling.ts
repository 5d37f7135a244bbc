import { existsSync } from "node:fs";
import { homedir } from "node:os";
import type { ImageContent } from "@earendil-works/pi-ai";
import type { Binding } from "./binding.ts";
import type { Ask, Decision } from "./continuity.ts";
import { type Digest, digest } from "./digest.ts";
import { hash } from "./fingerprint.ts";
import { instructionsFor } from "./instructions.ts";
import { mentionedPaths } from "./mentions.ts";
import type { TurnInput } from "./plan.ts";
import { composePrompt, type Instructions } from "./prompt.ts";
import type { Staging } from "./staging.ts";
import { findWorkspace } from "./workspace.ts";

/** What agy is told in a turn. */
export interface Telling {
	readonly prompt: string;
	/** Hash of the instructions that the conversation knows afterwards; empty for none. */
	readonly instructions: string;
	/** Entries that the digest had no room for. */
	readonly leftOut: number;
}

export type Speaking = Exclude<Decision, { kind: "nothing-to-say" }>;

/** Puts a decision into words. Writes what does not fit into files; rejects when that fails. */
export async function tell(
	decision: Speaking,
	input: TurnInput,
	options: { readonly digestBytes: number; readonly staging: () => Promise<Staging> },
): Promise<Telling> {
	const { ask } = decision;
	const binding = "binding" in decision ? decision.binding : undefined;
	const unseen = "unseen" in decision ? decision.unseen : [];
	const asked = ask === "go-on" ? [] : ask.flatMap((entry) => entry.images);
	const hasImages = asked.length > 0 || unseen.some((entry) => "images" in entry && entry.images.length > 0);
	const staging = hasImages ? await options.staging() : undefined;
	const imagePath = (image: ImageContent) => staging?.imagePath(image) ?? "";

	const background: Digest = digest(unseen, options.digestBytes, imagePath);
	for (const image of [...background.images, ...asked]) await staging?.writeImage(image);

	const words = wordsOf(ask);
	const text = instructionsFor(input.context.messages, findWorkspace(input.cwd));
	const instructions = instructionsToGive(text, binding);
	const prompt = await composePrompt(
		{
			words,
			...(instructions ? { instructions } : {}),
			digest: background.text,
			images: asked.map(imagePath),
			mentions: ask === "go-on" ? [] : mentionedPaths(words, { cwd: input.cwd, home: homedir() }, existsSync),
		},
		async (name, content) => (await options.staging()).writeText(name, content),
	);
	return { prompt, instructions: instructionsHash(text), leftOut: background.leftOut };
}

/** Whether the user's words are blank and nothing is attached to them. */
export function isBlank(ask: Ask): boolean {
	return ask !== "go-on" && ask.every((entry) => entry.text.trim() === "" && entry.images.length === 0);
}

function wordsOf(ask: Ask): string {
	if (ask === "go-on") return "continue";
	return ask
		.map((entry) => entry.text)
		.filter((text) => text.trim() !== "")
		.join("\n\n");
}

function instructionsHash(text: string): string {
	return text === "" ? "" : hash(text);
}

function instructionsToGive(text: string, binding: Binding | undefined): Instructions | undefined {
	const known = binding?.instructions ?? "";
	return instructionsHash(text) === known ? undefined : { text, replacesEarlier: known !== "" };
}
