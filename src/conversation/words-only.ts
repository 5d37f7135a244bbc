import { getCurrentSystemPrompt } from "@earendil-works/pi-ai";
import { render } from "./digest.ts";
import { emptyPrompt } from "./notices.ts";
import type { Planned, WordsInput, WordsPlan } from "./plan.ts";
import { promptLimitBytes } from "./prompt.ts";
import type { Staging } from "./staging.ts";
import { type Entry, readTranscript } from "./transcript.ts";

/**
 * Plans a call that wants words back and is no turn of a session. All of its transcript becomes one prompt. What is over
 * the limit goes into a file named with `@`: agy puts such a file before the model by itself, which matters because this
 * run has no tools to read it with.
 */
export async function planWords(input: WordsInput, createStaging: () => Promise<Staging>): Promise<Planned<WordsPlan>> {
	const { context, cwd, model, mode } = input;
	// No provider is "ours" here: whatever agy said before, this conversation has not seen it.
	const entries = readTranscript(context.messages, "");
	if (entries.every(isBlank)) return { refused: emptyPrompt };
	const images = entries.flatMap((entry) => ("images" in entry ? entry.images : []));
	let staging = images.length > 0 ? await createStaging() : undefined;
	try {
		const imagePath = staging?.imagePath ?? (() => "");
		for (const image of images) await staging?.writeImage(image);
		const whole = flatten(getCurrentSystemPrompt(context.messages), entries, imagePath);
		const fits = Buffer.byteLength(whole) <= promptLimitBytes;
		if (!fits) staging ??= await createStaging();
		const prompt =
			fits || !staging ? whole : `Answer the request in this file: @${await staging.writeText("request", whole)}`;
		return {
			request: {
				prompt,
				cwd,
				addDirs: staging ? [staging.folder] : [],
				...(model.choice ? { model: model.choice } : {}),
				mode,
				permissions: "deny",
				purpose: "words-only",
				literalPrompt: fits,
			},
			discard: async () => staging?.remove(),
		};
	} catch (error) {
		await staging?.remove();
		throw error;
	}
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
