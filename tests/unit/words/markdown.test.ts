import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { Markdown, type MarkdownTheme } from "@earendil-works/pi-tui";
import { plainInMarkdown } from "../../../src/words/markdown.ts";

const plain = (text: string) => text;
const theme = new Proxy({} as MarkdownTheme, { get: (_, name) => (name === "highlightCode" ? undefined : plain) });

/** What pi draws. */
const drawn = (text: string) =>
	new Markdown(text, 0, 0, theme).render(200).map((line) => stripVTControlCharacters(line).trimEnd());

test("a line is drawn as it is, whatever a command holds", () => {
	for (const line of [
		"run rm *.o *.a && cat __init__.py src/__main__.py a_b_c",
		"run echo `date` ~~x~~ <b>x</b>",
		"run grep 'a\\|b' c\\*d · exit 0",
		"fetch https://example.org/_next/a_b_",
	]) {
		assert.deepEqual(drawn(plainInMarkdown(line)), [line]);
	}
	assert.notDeepEqual(drawn("run cat __init__.py"), ["run cat __init__.py"]);
});
