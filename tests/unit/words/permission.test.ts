import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { errorText, permittedAction } from "../../../src/words/permission.ts";

const permissions: [action: string, target: string | undefined, words: string][] = [
	["command", "rm -rf build", "to run rm -rf build"],
	["command", undefined, "to run a command"],
	["command", "cat <<EOF\nx\nEOF", "to run cat <<EOF x EOF"],
	["unsandboxed", "npm test", "to run npm test outside the sandbox"],
	["read_file", "/etc/hosts", "to read /etc/hosts"],
	["write_file", join(homedir(), "notes.md"), `to write ${join("~", "notes.md")}`],
	["read_url", "https://example.com", "to fetch https://example.com"],
	["mcp", "tracker/find", "to call tracker/find"],
	["generate_image", "a dot", "to use generate_image: a dot"],
	["generate_image", "", "to use generate_image"],
];

for (const [action, target, words] of permissions) {
	test(`${action} is ${words}`, () => assert.equal(permittedAction(action, target), words));
}

test("a long target is shortened", () => {
	assert.ok(permittedAction("command", "x".repeat(5_000)).length < 150);
});

test("a hook's refusal and a failure keep agy's words", () => {
	assert.equal(errorText({ message: "no such file" }), "no such file");
	assert.equal(errorText({ message: "not on Fridays", denied: { by: "hook" } }), "not on Fridays");
});
