import assert from "node:assert/strict";
import { test } from "node:test";
import { mentionedPaths } from "../../../src/conversation/mentions.ts";

const there = new Set([
	"/project/src/a.ts",
	"/project/README.md",
	"/project/my notes.txt",
	"/etc/hosts",
	"/home/me/todo.txt",
	"/project/src",
]);

const cases: [text: string, paths: string[]][] = [
	["look at @src/a.ts", ["/project/src/a.ts"]],
	["@README.md, please", ["/project/README.md"]],
	["(@README.md) and @README.md.", ["/project/README.md"]],
	['read @"my notes.txt" now', ["/project/my notes.txt"]],
	["@/etc/hosts and @~/todo.txt", ["/etc/hosts", "/home/me/todo.txt"]],
	["the folder @src", ["/project/src"]],
	["write to me@README.md", []],
	["install @types/node", []],
	["@ alone, @", []],
	["no mention", []],
];
for (const [text, paths] of cases) {
	test(`${JSON.stringify(text)} names ${paths.length === 0 ? "nothing" : paths.join(" and ")}`, () => {
		assert.deepEqual(
			mentionedPaths(text, { cwd: "/project", home: "/home/me" }, (path) => there.has(path)),
			paths,
		);
	});
}

test("a pasted log full of @ costs only so many look-ups", () => {
	let asked = 0;
	mentionedPaths("@x ".repeat(10_000), { cwd: "/project", home: "/home/me" }, () => {
		asked++;
		return false;
	});
	assert.ok(asked <= 100);
});
