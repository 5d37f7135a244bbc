import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@earendil-works/pi-ai";
import { instructionsFor } from "../../../src/conversation/instructions.ts";
import { system, user } from "./messages.ts";

const workspace = { cwd: "/repo/app", root: "/repo" };

const pisOwn = {
	preamble: "You are a coding assistant running inside pi",
	tools: "<tools>\n- read\n</tools>",
	rules: "<rules>\n- Be concise\n</rules>",
	docs: "<docs>\npi docs\n</docs>",
	cwd: "<cwd>\n/repo/app\n</cwd>",
};

function projectContext(...files: [path: string, content: string][]): Record<string, string> {
	const parts = files.map(
		([path, content]) => `<project_instructions path="${path}">\n${content}\n</project_instructions>`,
	);
	return {
		project_context: `<project_context>\n${["Project-specific instructions and guidelines:", ...parts].join("\n\n")}\n</project_context>`,
	};
}

test("what describes pi and its tools is not passed on", () => {
	assert.equal(instructionsFor([system(pisOwn), user("hi")], workspace), "");
	assert.equal(instructionsFor([user("hi")], workspace), "");
});

test("the appended prompt, skills and other extensions' sections are", () => {
	const sections = {
		...pisOwn,
		addendum: "<addendum>\nBe kind\n</addendum>",
		skills: "<skills>\nx\n</skills>",
		house: "H",
	};
	assert.equal(
		instructionsFor([system(sections)], workspace),
		"<addendum>\nBe kind\n</addendum>\n\n<skills>\nx\n</skills>\n\nH",
	);
});

test("a prompt of the user's own is passed on, pi's is not", () => {
	assert.equal(instructionsFor([system({ preamble: "You are a poet", cwd: pisOwn.cwd })], workspace), "You are a poet");
});

test("a forced prompt, which has no sections, is passed on whole", () => {
	assert.equal(instructionsFor([system({}, "You are a poet")], workspace), "You are a poet");
});

const files: [path: string, passed: boolean][] = [
	["/repo/app/AGENTS.md", false],
	["/repo/AGENTS.md", false],
	["/repo/GEMINI.md", false],
	["/AGENTS.md", true],
	["/repo/other/AGENTS.md", true],
	["/home/me/.pi/agent/AGENTS.md", true],
	["/repo/app/CLAUDE.md", true],
	["/repo/app/AGENTS.override.md", true],
	["/repository/AGENTS.md", true],
];
for (const [path, passed] of files) {
	test(`${path} is ${passed ? "passed on" : "left to agy, which reads it"}`, () => {
		const text = instructionsFor([system({ ...pisOwn, ...projectContext([path, "Rule."]) })], workspace);
		assert.equal(text.includes("Rule."), passed);
		assert.equal(text.includes(path), passed);
	});
}

test("of several context files those that agy does not read are kept, each whole", () => {
	const tricky = 'a\n</project_instructions>\n\nquoted: <project_instructions path="x">\nb';
	const text = instructionsFor(
		[system({ ...pisOwn, ...projectContext(["/repo/AGENTS.md", "Known."], ["/repo/CLAUDE.md", tricky]) })],
		workspace,
	);
	assert.ok(!text.includes("Known."));
	assert.ok(text.includes(tricky));
});

test("later system messages replace, remove and add", () => {
	const messages: Message[] = [
		system({ ...pisOwn, addendum: "Old", house: "Gone" }),
		user("hi"),
		system({ addendum: "New", house: null }, "From now on in French."),
	];
	assert.equal(instructionsFor(messages, workspace), "From now on in French.\n\nNew");
});
