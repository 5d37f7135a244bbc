import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { REFERENCE_PATH, renderReference } from "../../../scripts/generate-reference.ts";
import { subCommands } from "../../../src/command/table.ts";
import { environmentName } from "../../../src/config/environment.ts";
import { settingNames } from "../../../src/config/schema.ts";

test("docs/reference.md is what the code says; if not, run `node scripts/generate-reference.ts`", () => {
	assert.equal(readFileSync(REFERENCE_PATH, "utf8"), renderReference());
});

test("the reference has every command, setting and variable, each with words of its own", () => {
	const text = renderReference();
	for (const { name } of subCommands)
		assert.match(text, new RegExp(`^\\| \`/agy ${name}\\b.*\` \\| [A-Z].{15,}\\. \\|$`, "m"));
	for (const name of settingNames) {
		assert.match(
			text,
			new RegExp(`^\\| \`${name}\` \\| \\S.* \\| .* \\| \`${environmentName(name)}\` \\| .{15,} \\|$`, "m"),
		);
	}
});
