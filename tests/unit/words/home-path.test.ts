import assert from "node:assert/strict";
import { test } from "node:test";
import { homePath } from "../../../src/words/home-path.ts";

test("a path below the home folder begins with ~, any other stays", () => {
	assert.equal(homePath("/home/ada/.gemini/x.db", "/home/ada"), "~/.gemini/x.db");
	assert.equal(homePath("/home/adam/x", "/home/ada"), "/home/adam/x");
});
