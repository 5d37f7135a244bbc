/** A larger prompt is dropped by agy without a word (reported from about 25 KB on); what is over this goes into a file. */
export const PROMPT_LIMIT_BYTES = 20_000;

/** What agy is to be told, in pieces. Empty pieces are absent. */
export interface PromptPieces {
	/** The user's own words, unchanged. */
	readonly words: string;
	/** How the user's instructions reach this conversation; absent when it knows them. */
	readonly instructions?: Instructions;
	readonly digest?: string;
	/** Absolute paths. */
	readonly images: readonly string[];
	readonly mentions: readonly string[];
}

export interface Instructions {
	/** Empty when those given earlier no longer apply. */
	readonly text: string;
	readonly replacesEarlier: boolean;
}

type BlockName = "instructions" | "background" | "message";

interface Block {
	readonly name: BlockName;
	readonly text: string;
	/** The block in the prompt itself. */
	readonly inline: string;
	/** The block in the prompt when its text is in a file. */
	readonly staged: (path: string) => string;
}

/**
 * Composes the prompt. Only the user's words where there is nothing else to say; a line before them where their first
 * character means something to agy (`/`, `!`, `-`). Blocks move into files, the largest first, until the prompt is within
 * the limit; `writeText` stores one and returns its absolute path.
 */
export async function composePrompt(
	pieces: PromptPieces,
	writeText: (name: BlockName, text: string) => Promise<string>,
): Promise<string> {
	const blocks = blocksOf(pieces);
	const shown = new Map(blocks.map((block) => [block, block.inline]));
	const lists = [
		list("Images of this message, to be looked at:", pieces.images),
		list("Files and folders named in this message:", pieces.mentions),
	].filter((text) => text !== "");
	const prompt = () => [...shown.values(), ...lists].join("\n\n");
	for (const block of blocks.toSorted((a, b) => Buffer.byteLength(b.text) - Buffer.byteLength(a.text))) {
		if (Buffer.byteLength(prompt()) <= PROMPT_LIMIT_BYTES) break;
		shown.set(block, block.staged(await writeText(block.name, block.text)));
	}
	return prompt();
}

function blocksOf({ words, instructions, digest }: PromptPieces): Block[] {
	const blocks: Block[] = [];
	if (instructions) blocks.push(instructionsBlock(instructions));
	if (digest) {
		blocks.push({
			name: "background",
			text: digest,
			inline: `<background>\n${digest}\n</background>`,
			staged: (path) =>
				`What happened in this session outside this conversation is in the file ${path}. Read it first.`,
		});
	}
	if (words !== "") {
		const needsLeadIn = blocks.length > 0 || /^\s*[/!-]/.test(words);
		blocks.push({
			name: "message",
			text: words,
			inline: needsLeadIn ? `The user's message:\n\n${words}` : words,
			staged: (path) =>
				`The user's message is long; it is in the file ${path}. Read all of that file, then answer it as if it stood here.`,
		});
	}
	return blocks;
}

function instructionsBlock({ text, replacesEarlier }: Instructions): Block {
	const intro = replacesEarlier
		? "The user's standing instructions have changed. These replace the earlier ones:"
		: "Standing instructions of the user for this whole conversation (tools named in them may be absent here):";
	return {
		name: "instructions",
		text,
		inline:
			text === ""
				? "The user's earlier standing instructions no longer apply."
				: `${intro}\n<instructions>\n${text}\n</instructions>`,
		staged: (path) => `${intro}\nThey are in the file ${path}. Read all of it first.`,
	};
}

function list(title: string, paths: readonly string[]): string {
	return paths.length === 0 ? "" : `${title}\n${paths.map((path) => `- ${path}`).join("\n")}`;
}
