import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExtraArgs } from "../../../../src/run/agy/extra-args.ts";

const accepted: readonly (readonly [string, readonly string[]])[] = [
	["", []],
	["  --sandbox ", ["--sandbox"]],
	["--log-file '/a b/c' --project=x", ["--log-file", "/a b/c", "--project=x"]],
	['--project "two words"', ["--project", "two words"]],
	["--project a\\ b", ["--project", "a b"]],
	[`--project="$HOME" --agent \${X}y$`, ["--project=$HOME", "--agent", `\${X}y$`]],
	["--add-dir /a/*.ts", ["--add-dir", "/a/*.ts"]],
	["--new-thing value", ["--new-thing", "value"]],
	["--new-thing --sandbox", ["--new-thing", "--sandbox"]],
	["--project 'a#b;c|d'", ["--project", "a#b;c|d"]],
];

for (const [text, args] of accepted) {
	test(`accepts ${text}`, () => assert.deepEqual(parseExtraArgs(text), { kind: "ok", args }));
}

const refused: readonly (readonly [string, RegExp])[] = [
	["--project x; rm -rf /", /unquoted ;/],
	["--project `x` | y", /unquoted \|/],
	["--project x > y", /unquoted >/],
	["--project x # later", /unquoted #/],
	["--project 'x", /quote in it is not closed/],
	['--project "x', /quote in it is not closed/],
	["stray", /"stray" belongs to no flag/],
	["--sandbox stray", /"stray" belongs to no flag/],
	["--project=a stray", /"stray" belongs to no flag/],
	["--project a stray", /"stray" belongs to no flag/],
	["--", /"--" belongs to no flag/],
	["-p hi", /-p is set by the extension/],
	["--print=hi", /--print is set by the extension/],
	["--continue", /--continue is set by the extension/],
	["--conversation x", /--conversation is set by the extension/],
	["--output-format json", /--output-format is set by the extension/],
	["--log-file", /--log-file needs a value/],
	["--log-file --sandbox", /--log-file needs a value/],
];

for (const [text, problem] of refused) {
	test(`refuses ${text}`, () => {
		const result = parseExtraArgs(text);
		assert.ok(result.kind === "refused");
		assert.match(result.failure.problem, problem);
	});
}
