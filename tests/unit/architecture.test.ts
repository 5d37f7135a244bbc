import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The table of the map in docs/architecture.md, from the top down. */
const layers = [...read("docs/architecture.md").matchAll(/^\| `((?:src|extensions)\/[\w/-]*)` \|/gm)].map(
	([, folder = ""]) => folder,
);
const files = globSync("{src,extensions}/**/*.{ts,mjs}", { cwd: ROOT });
const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** What only the engine may know. */
const BEHIND_THE_ENGINE = ["src/ledger/", "src/stdout/", "src/tail/", "src/decode/"];

function read(path: string): string {
	return readFileSync(join(ROOT, path), "utf8");
}

/** The files of ours that a file imports, types and late imports included. */
function importsOf(file: string): string[] {
	const specifiers = read(file).matchAll(/^(?:import|export)\b[^;"]*\bfrom "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm);
	return [...specifiers].map(([, now, late]) => relative(ROOT, join(ROOT, dirname(file), now ?? late ?? "")));
}

/** The folder of the map that a file is in: the room, where its folder has rooms, since those stand below their folder. */
function folderOf(file: string): string {
	return layers.findLast((folder) => file.startsWith(folder)) ?? file;
}

/** One circle of imports, as the files on the way; undefined when there is none. */
function findCircle(): readonly string[] | undefined {
	const done = new Set<string>();
	const visit = (file: string, way: readonly string[]): readonly string[] | undefined => {
		if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
		if (done.has(file)) return undefined;
		for (const imported of imports.get(file) ?? []) {
			const circle = visit(imported, [...way, file]);
			if (circle !== undefined) return circle;
		}
		done.add(file);
		return undefined;
	};
	for (const file of files) {
		const circle = visit(file, []);
		if (circle !== undefined) return circle;
	}
	return undefined;
}

describe("the map of the code", () => {
	test("names every folder, and every import leads to a file", () => {
		assert.deepEqual(
			files.filter((file) => folderOf(file) === file),
			[],
		);
		assert.ok([...imports.values()].flat().length > files.length, "imports were found");
		assert.deepEqual(
			[...imports.values()].flat().filter((imported) => !files.includes(imported)),
			[],
		);
	});

	test("is kept to: imports go downwards only", () => {
		const upwards = [...imports].flatMap(([file, imported]) =>
			imported
				.filter((other) => layers.indexOf(folderOf(other)) < layers.indexOf(folderOf(file)))
				.map((other) => `${file} imports ${other}`),
		);
		assert.deepEqual(upwards, []);
	});

	test("hides agy's database and output behind the engine", () => {
		const allowed = ["src/run/", ...BEHIND_THE_ENGINE];
		const knowing = [...imports].flatMap(([file, imported]) =>
			allowed.some((folder) => file.startsWith(folder))
				? []
				: imported
						.filter((other) => BEHIND_THE_ENGINE.includes(folderOf(other)))
						.map((other) => `${file} imports ${other}`),
		);
		assert.deepEqual(knowing, []);
	});

	test("has no circles", () => {
		assert.equal(findCircle()?.join(" → "), undefined);
	});
});
