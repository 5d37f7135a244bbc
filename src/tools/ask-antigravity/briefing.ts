import type { ImageContent, Message } from "@earendil-works/pi-ai";
import { type Digest, digest } from "../../conversation/digest.ts";
import { composePrompt } from "../../conversation/prompt.ts";
import { createStaging, type Staging } from "../../conversation/staging.ts";
import { readTranscript } from "../../conversation/transcript.ts";
import type { Delegation } from "./request.ts";

/** What agy is told, and where the files are that belong to it. */
export interface Briefing {
	readonly prompt: string;
	/** Absolute directories. */
	readonly addDirs: readonly string[];
	/** Removes the files. Never rejects. */
	remove(): Promise<void>;
}

export interface BriefingOptions {
	/** pi's messages as a model would get them; only asked for when the call wants context. */
	readonly messages: () => readonly Message[];
	/** Largest summary, in bytes. */
	readonly digestBytes: number;
	/** Where the private folder is made. */
	readonly stagingRoot: string;
}

/** Largest `full` context, in bytes: about what agy keeps in a conversation before it compacts. */
const FULL_BYTES = 400_000;

const COMPACT = "Answer compactly: the findings with their places in the code, no preamble, no repetition of the task.";

/**
 * Writes down what agy is to know. The context goes into a private file, so that it neither stands in the process list nor
 * makes the prompt too long. Rejects when the disk does not let us; then nothing is left behind.
 */
export async function writeBriefing(delegation: Delegation, options: BriefingOptions): Promise<Briefing> {
	const files = new PrivateFiles(options.stagingRoot);
	try {
		const background = delegation.context === "none" ? undefined : await stageContext(delegation, options, files);
		const task = await composePrompt({ words: delegation.task, images: [], mentions: [] }, (name, text) =>
			files.writeText(name, text),
		);
		const prompt = [background, task, delegation.compact ? COMPACT : undefined]
			.filter((part) => part !== undefined)
			.join("\n\n");
		return { prompt, addDirs: files.folders, remove: () => files.remove() };
	} catch (error) {
		await files.remove();
		throw error;
	}
}

/** The line that names the file; undefined when there is nothing to tell. */
async function stageContext(
	{ context }: Delegation,
	{ messages, digestBytes }: BriefingOptions,
	files: PrivateFiles,
): Promise<string | undefined> {
	const entries = readTranscript(withoutOpenCalls(messages()), "");
	const hasImages = entries.some((entry) => "images" in entry && entry.images.length > 0);
	const staging = hasImages ? await files.staging() : undefined;
	const imagePath = (image: ImageContent) => staging?.imagePath(image) ?? "";
	const told: Digest = digest(entries, context === "full" ? FULL_BYTES : digestBytes, imagePath);
	if (told.text === "") return undefined;
	for (const image of told.images) await staging?.writeImage(image);
	const path = await files.writeText("context", told.text);
	return `The task below comes out of another conversation. ${context === "full" ? "Its record" : "A digest of it"} is in the file ${path}; read that first.`;
}

/** Without the calls that have no result yet: this delegation is one of them. */
function withoutOpenCalls(messages: readonly Message[]): Message[] {
	const answered = new Set(messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : [])));
	return messages.map((message) => {
		if (message.role !== "assistant") return message;
		return { ...message, content: message.content.filter((part) => part.type !== "toolCall" || answered.has(part.id)) };
	});
}

/** A private folder that is made when the first file needs it. */
class PrivateFiles {
	readonly #root: string;
	#staging: Promise<Staging> | undefined;
	#folder: string | undefined;

	constructor(root: string) {
		this.#root = root;
	}

	get folders(): readonly string[] {
		return this.#folder === undefined ? [] : [this.#folder];
	}

	async staging(): Promise<Staging> {
		this.#staging ??= createStaging(this.#root, process.pid);
		const staging = await this.#staging;
		this.#folder = staging.folder;
		return staging;
	}

	async writeText(name: string, text: string): Promise<string> {
		return (await this.staging()).writeText(name, text);
	}

	async remove(): Promise<void> {
		const staging = await this.#staging?.catch(() => undefined);
		await staging?.remove();
	}
}
