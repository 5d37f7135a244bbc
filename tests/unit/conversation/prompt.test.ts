import assert from "node:assert/strict";
import { test } from "node:test";
import { composePrompt, PROMPT_LIMIT_BYTES, type PromptPieces } from "../../../src/conversation/prompt.ts";

async function compose(pieces: Partial<PromptPieces>) {
	const staged = new Map<string, string>();
	const prompt = await composePrompt({ words: "", images: [], mentions: [], ...pieces }, async (name, text) => {
		staged.set(name, text);
		return `/staged/${name}.txt`;
	});
	return { prompt, staged };
}

test("the user's words alone arrive unchanged", async () => {
	for (const words of ["fix it", " a\r\n\tb  \n", "mail me@example.org", "5 - 3", "see /etc/hosts", "ünïcödé 🎉"]) {
		assert.equal((await compose({ words })).prompt, words);
	}
});

for (const words of ["/help", "!ls", "-p", "--model x", "  /plan this", "\n!x"]) {
	test(`a line stands before ${JSON.stringify(words)}, so that agy does not interpret it`, async () => {
		assert.equal((await compose({ words })).prompt, `The user's message:\n\n${words}`);
	});
}

test("instructions and background come before the words, files after", async () => {
	const { prompt } = await compose({
		words: "fix it",
		instructions: { text: "Be brief.", replacesEarlier: false },
		digest: "[User]\nhello",
		images: ["/staged/a.png"],
		mentions: ["/project/x.ts"],
	});
	assert.equal(
		prompt,
		[
			"Standing instructions of the user for this whole conversation (tools named in them may be absent here):\n<instructions>\nBe brief.\n</instructions>",
			"<background>\n[User]\nhello\n</background>",
			"The user's message:\n\nfix it",
			"Images of this message, to be looked at:\n- /staged/a.png",
			"Files and folders named in this message:\n- /project/x.ts",
		].join("\n\n"),
	);
});

test("changed instructions say that they replace the earlier ones, and none that those are void", async () => {
	const changed = await compose({ words: "go", instructions: { text: "Be long.", replacesEarlier: true } });
	assert.match(changed.prompt, /have changed\. These replace the earlier ones:\n<instructions>\nBe long\./);
	const gone = await compose({ words: "go", instructions: { text: "", replacesEarlier: true } });
	assert.match(gone.prompt, /^The user's earlier standing instructions no longer apply\.\n\n/);
});

test("a message with only an image says so", async () => {
	assert.equal(
		(await compose({ images: ["/staged/a.png"] })).prompt,
		"Images of this message, to be looked at:\n- /staged/a.png",
	);
});

test("a prompt at the limit goes as it is; one byte more and it goes into a file, whole", async () => {
	const fits = "x".repeat(PROMPT_LIMIT_BYTES);
	assert.equal((await compose({ words: fits })).prompt, fits);
	const { prompt, staged } = await compose({ words: `${fits}y` });
	assert.match(prompt, /in the file \/staged\/message\.txt\. Read all of that file/);
	assert.equal(staged.get("message"), `${fits}y`);
});

test("the limit counts bytes", async () => {
	const { staged } = await compose({ words: "ü".repeat(PROMPT_LIMIT_BYTES / 2 + 1) });
	assert.ok(staged.has("message"));
});

test("the largest piece goes first, and only as much as it takes", async () => {
	const { prompt, staged } = await compose({
		words: "w".repeat(5_000),
		digest: "d".repeat(12_000),
		instructions: { text: "i".repeat(9_000), replacesEarlier: false },
	});
	assert.deepEqual([...staged.keys()], ["background"]);
	assert.ok(prompt.includes("w".repeat(5_000)) && prompt.includes("i".repeat(9_000)));
	assert.ok(Buffer.byteLength(prompt) <= PROMPT_LIMIT_BYTES);
	assert.match(prompt, /What happened .* is in the file \/staged\/background\.txt/);
});

test("everything goes into files when everything is large", async () => {
	const huge = "h".repeat(30_000);
	const { prompt, staged } = await compose({
		words: huge,
		digest: huge,
		instructions: { text: huge, replacesEarlier: false },
	});
	assert.equal(staged.size, 3);
	assert.ok(Buffer.byteLength(prompt) < 1_000);
});
