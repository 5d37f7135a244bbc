import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { subCommands } from "../../../src/command/table.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PAGES = [
	"README.md",
	"docs/development.md",
	"docs/architecture.md",
	"docs/reference.md",
	"tests/fake-agy/README.md",
];
const { name, scripts }: { name: string; scripts: Record<string, string> } = JSON.parse(read("package.json"));

function read(path: string): string {
	return readFileSync(join(ROOT, path), "utf8");
}

/** The commands of the shell blocks of a page, one by one, without comments. */
function shellCommands(page: string): string[] {
	return [...page.matchAll(/^```sh\n(.*?)^```/gms)]
		.flatMap(([, block = ""]) => block.split("\n"))
		.flatMap((line) => line.replace(/\s+#.*$/, "").split(" && "))
		.map((command) => command.trim())
		.filter((command) => command !== "");
}

/** Undefined when everything the command names exists. */
function whatIsWrong(command: string): string | undefined {
	const words = command.split(" ");
	const variables: string[] = [];
	while (words[0]?.includes("=")) variables.push(words.shift() ?? "");
	const scenario = variables.find((variable) => variable.startsWith("FAKE_AGY_SCENARIO="))?.split("=")[1];
	if (scenario !== undefined && !existsSync(join(ROOT, "tests/fake-agy/scenarios", `${scenario}.json`)))
		return scenario;
	const [program, first = "", second = ""] = words;
	switch (program) {
		case "npm": {
			const script = first === "run" ? second : first;
			return script === "ci" || script in scripts ? undefined : `no script ${script}`;
		}
		case "node":
			return existsSync(join(ROOT, first)) ? undefined : `no file ${first}`;
		case "npx":
			return first === "pi" ? undefined : `unknown program ${first}`;
		case "pi":
			return ["install", "remove", "update"].includes(first) && second === `npm:${name}`
				? undefined
				: "not our package";
		case "tests/fake-agy/agy":
			return undefined;
		default:
			return "a command no test knows";
	}
}

for (const page of PAGES) {
	test(`every command in ${page} names what exists`, () => {
		for (const command of shellCommands(read(page))) {
			assert.equal(whatIsWrong(command), undefined, command);
		}
	});

	test(`every /agy command in ${page} exists`, () => {
		const known = new Set(subCommands.map((command) => command.name));
		for (const [, word = ""] of read(page).matchAll(/`\/agy ([a-z]+)/g)) {
			assert.ok(known.has(word), `/agy ${word}`);
		}
	});
}

test("a command that does not exist would be found", () => {
	assert.notEqual(whatIsWrong("npm run no-such-script"), undefined);
	assert.notEqual(whatIsWrong("FAKE_AGY_SCENARIO=no-such tests/fake-agy/agy -p hi"), undefined);
	assert.notEqual(whatIsWrong("curl example.org"), undefined);
});
