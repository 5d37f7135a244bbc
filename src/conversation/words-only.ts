import { basename } from "node:path";
import { getCurrentSystemPrompt } from "@earendil-works/pi-ai";
import { render } from "./digest.ts";
import { emptyPrompt } from "./notices.ts";
import type { Planned, WordsInput, WordsPlan } from "./plan.ts";
import { PROMPT_LIMIT_BYTES } from "./prompt.ts";
import type { Staging } from "./staging.ts";
import { type Entry, readTranscript } from "./transcript.ts";

/**
 * Plans a call that wants words back and is no turn of a session. It runs in a private folder, not in the project: an agy
 * that cannot do without its tools may read and write there without asking. All of its transcript becomes one prompt, in which
 * nothing has a meaning for agy. What is over the limit goes into a file named with `@`: agy puts such a file before the model
 * by itself, which matters where there are no tools to read it with; its full path is for an older agy, which does not.
 */
export async function planWords(input: WordsInput, createStaging: () => Promise<Staging>): Promise<Planned<WordsPlan>> {
	const { context, model } = input;
	// No provider is "ours" here: whatever agy said before, this conversation has not seen it.
	const entries = readTranscript(context.messages, "");
	if (entries.every(isBlank)) return { refused: emptyPrompt };
	const images = entries.flatMap((entry) => ("images" in entry ? entry.images : []));
	const staging = await createStaging();
	try {
		for (const image of images) await staging.writeImage(image);
		const whole = flatten(getCurrentSystemPrompt(context.messages), entries, (image) => staging.imagePath(image));
		const fits = Buffer.byteLength(whole) <= PROMPT_LIMIT_BYTES;
		return {
			request: {
				prompt: fits ? whole : mention(await staging.writeText("request", whole)),
				cwd: staging.folder,
				addDirs: [],
				...(model.choice ? { model: model.choice } : {}),
				mode: "accept-edits",
				permissions: "deny",
				purpose: "words-only",
				literalPrompt: fits,
			},
			discard: () => staging.remove(),
		};
	} catch (error) {
		await staging.remove();
		throw error;
	}
}

function mention(path: string): string {
	return `Answer the request in the file @${basename(path)} (its full path: ${path}).`;
}

function isBlank(entry: Entry): boolean {
	return entry.text.trim() === "" && !("images" in entry && entry.images.length > 0);
}

function flatten(system: string, entries: readonly Entry[], imagePath: Parameters<typeof render>[1]): string {
	const [only, ...more] = entries;
	const alone = only?.kind === "user" && only.images.length === 0 && more.length === 0;
	const said = alone ? only.text : entries.map((entry) => render(entry, imagePath)).join("\n\n");
	const whole = system.trim() === "" ? said : `${system.trim()}\n\n${said}`;
	return /^\s*[/!-]/.test(whole) ? `The request:\n\n${whole}` : whole;
}
