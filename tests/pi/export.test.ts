import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { only, PiRpc, piHome } from "../support/pi.ts";
import { fakeHome, type Scenario } from "../support/scenario.ts";

const ARGS = [...only(fileURLToPath(new URL("../..", import.meta.url))), "--model", "antigravity/gemini-3.8-flash"];

/** A card in the page that pi exports, as HTML of coloured lines. */
interface ExportedCard {
	readonly callHtml?: string;
	readonly resultHtmlCollapsed?: string;
	readonly resultHtmlExpanded?: string;
}

const scenario: Scenario = {
	steps: [
		{ edit: { file: "src/sum.js", before: "one\nreturn a - b;\n", after: "one\nreturn a + b;\n" } },
		{ newFile: { file: "notes.md", content: Array.from({ length: 30 }, (_, line) => `note ${line + 1}`).join("\n") } },
		{ run: { command: "npm test", output: Array.from({ length: 40 }, (_, line) => `ok ${line + 1}\n`), exitCode: 3 } },
		{ mcp: { server: "tracker", tool: "find", args: { query: "<open>" }, result: "#1 <First>" } },
		{ say: "Done." },
	],
};

for (const theme of ["dark", "light"]) {
	describe(`an exported page, ${theme}`, () => {
		test("shows agy's steps as the screen does", async (t) => {
			const { page, cards } = await exported(t, theme);
			assert.match(page, /<!DOCTYPE html>/i);
			assert.deepEqual(
				cards.map(({ callHtml }) => plain(callHtml)),
				["edit src/sum.js +1 -1", "create notes.md +30", "run npm test", "call tracker/find"],
			);

			const [edit, created, command, mcp] = cards;
			const removed = lineOf(edit?.resultHtmlExpanded, "-2 return a - b;");
			const added = lineOf(edit?.resultHtmlExpanded, "+2 return a + b;");
			assert.notEqual(colourOf(removed), colourOf(added), "a diff has its two colours");

			assert.match(plain(created?.resultHtmlCollapsed), /\+10 note 10\s+\.\.\. \(20 more lines\)$/);
			assert.match(plain(created?.resultHtmlExpanded), /\+30 note 30$/);

			assert.match(
				plain(command?.resultHtmlCollapsed),
				/\(35 earlier lines\)\s.*ok 40\s+exit code 3(\s+Took [\d.]+s)?$/s,
			);
			assert.match(plain(command?.resultHtmlExpanded), /^ok 1\s.*ok 40\s+exit code 3(\s+Took [\d.]+s)?$/s);

			assert.equal(plain(mcp?.resultHtmlExpanded), 'query: "<open>"\n\n#1 <First>');
			assert.doesNotMatch(mcp?.resultHtmlExpanded ?? "", /<First>/, "what a tool said is no markup");
		});
	});
}

/** The page of one turn, and its cards in the order of the transcript. */
async function exported(t: TestContext, theme: string): Promise<{ page: string; cards: ExportedCard[] }> {
	const home = piHome(t, { env: fakeHome(t, scenario).env, settings: { theme } });
	const rpc = new PiRpc(home, ARGS);
	await rpc.prompt("go");
	const { path } = await rpc.request({ type: "export_html", outputPath: join(home.dir, "page.html") });
	const page = readFileSync(String(path), "utf8");
	const [, data = ""] = /<script id="session-data"[^>]*>([^<]*)</.exec(page) ?? [];
	const { renderedTools } = JSON.parse(Buffer.from(data, "base64").toString("utf8")) as {
		renderedTools: Record<string, ExportedCard>;
	};
	return { page, cards: Object.values(renderedTools) };
}

/** The text of exported lines. */
function plain(html = ""): string {
	return html
		.replaceAll("</div>", "\n")
		.replace(/<[^>]*>/g, "")
		.replaceAll("&nbsp;", "")
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&quot;", '"')
		.split("\n")
		.map((line) => line.trim())
		.join("\n")
		.trim();
}

function lineOf(html: string | undefined, text: string): string {
	const line = html?.split("</div>").find((candidate) => plain(candidate) === text);
	assert.ok(line !== undefined, `${text} in ${plain(html)}`);
	return line;
}

function colourOf(line: string): string | undefined {
	return /color:(#\w+)/.exec(line)?.[1];
}
