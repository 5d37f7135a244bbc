import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { QuotaFooter } from "../../../src/quota/quota-footer.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const README = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");

test("the README explains the footer line of a used-up quota as it is shown", () => {
	const now = Date.UTC(2026, 10, 20, 12);
	const shown: (string | undefined)[] = [];
	const footer = new QuotaFooter({ clock: new FakeClock(now), show: (text) => shown.push(text), timeZone: "UTC" });
	footer.selected("gemini");
	footer.failed("gemini", Date.UTC(2026, 10, 20, 22, 51));
	footer.close();
	const [line = ""] = shown.filter((text) => text !== undefined);
	assert.ok(line !== "" && README.includes(`\`${line}\``), line);
});

test("the README explains what pi says while agy is missing and of an exact slug, and where a delegation's tokens are", () => {
	for (const words of [
		"No API key found for the selected model.",
		"Using custom model id.",
		"The tokens of a delegation",
	]) {
		assert.ok(README.includes(words), words);
	}
});
