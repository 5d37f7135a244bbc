import assert from "node:assert/strict";
import { test } from "node:test";
import { getSupportedThinkingLevels } from "@earendil-works/pi-ai";
import { builtInModels } from "../../../src/models/built-in.ts";
import { choiceFor, collapse, toPiModel } from "../../../src/models/catalogue-model.ts";
import { labelFromSlug, parseSlug, slugFromLabel } from "../../../src/models/slug.ts";

const builtIn = collapse(builtInModels);
const entry = (id: string) => {
	const found = builtIn.find((model) => model.id === id);
	assert.ok(found, `${id} is not in ${builtIn.map((model) => model.id).join(", ")}`);
	return found;
};
const listed = (...slugs: string[]) => slugs.map((accepts) => ({ accepts, label: labelFromSlug(accepts) }));

test("slugs that differ only by their tier are one model", () => {
	assert.deepEqual(
		builtIn.map(({ id, name }) => [id, name]),
		[
			["gemini-3.8-flash", "Gemini 3.8 Flash"],
			["gemini-3.7-flash", "Gemini 3.7 Flash"],
			["gemini-3.6-flash", "Gemini 3.6 Flash"],
			["gemini-3.1-pro", "Gemini 3.1 Pro"],
			["claude-sonnet-4-6", "Claude Sonnet 4.6"],
			["claude-opus-4-6-thinking", "Claude Opus 4.6 (Thinking)"],
			["gpt-oss-120b-medium", "GPT-OSS 120B (Medium)"],
		],
	);
});

test("pi's thinking levels are exactly the tiers that exist", () => {
	const levels = (slugs: string[]) =>
		collapse(listed(...slugs)).map((model) => getSupportedThinkingLevels(toPiModel(model)));
	assert.deepEqual(levels(["gemini-3.8-flash-high", "gemini-3.8-flash-medium", "gemini-3.8-flash-low"]), [
		["low", "medium", "high"],
	]);
	assert.deepEqual(levels(["gemini-3.1-pro-high", "gemini-3.1-pro-low"]), [["low", "high"]]);
	assert.deepEqual(levels(["gemini-4-pro-xhigh", "gemini-4-pro-max", "gemini-4-pro-high"]), [["high", "xhigh", "max"]]);
	assert.deepEqual(levels(["gemini-3.1-pro-high"]), [["high"]]);
	assert.deepEqual(levels(["claude-opus-5-5-high", "claude-opus-5-5-low"]), [["low", "high"]]);
	assert.deepEqual(levels(["gpt-oss-120b-medium"]), [["off"]]);
	assert.deepEqual(levels(["claude-sonnet-4-6"]), [["off"]]);
});

test("a tier that does not exist becomes the nearest, the stronger one first", () => {
	const pro = entry("gemini-3.1-pro");
	assert.deepEqual(choiceFor(pro, undefined), { slug: "gemini-3.1-pro-high", base: "gemini-3.1-pro", effort: "high" });
	assert.equal(choiceFor(pro, "medium").slug, "gemini-3.1-pro-high");
	assert.equal(choiceFor(pro, "low").slug, "gemini-3.1-pro-low");
	assert.equal(choiceFor(pro, "max").slug, "gemini-3.1-pro-high");
	assert.equal(choiceFor(entry("gemini-3.8-flash"), undefined).slug, "gemini-3.8-flash-medium");
});

test("a model of fixed effort is passed by its whole slug, without a tier", () => {
	assert.deepEqual(choiceFor(entry("gpt-oss-120b-medium"), "high"), { slug: "gpt-oss-120b-medium" });
	assert.deepEqual(choiceFor(entry("claude-opus-4-6-thinking"), "low"), { slug: "claude-opus-4-6-thinking" });
});

test("where agy knows labels only, the label is what is passed", () => {
	const labels = ["Gemini 3.1 Pro (High)", "Gemini 3.1 Pro (Low)"].map((label) => ({ accepts: label, label }));
	const [pro, ...others] = collapse(labels);
	assert.ok(pro);
	assert.deepEqual(others, []);
	assert.deepEqual([pro.id, pro.name], ["gemini-3.1-pro", "Gemini 3.1 Pro"]);
	assert.deepEqual(choiceFor(pro, "low"), { slug: "Gemini 3.1 Pro (Low)" });
});

test("a base slug beside its tiers is not a second model", () => {
	const models = collapse(listed("gemini-3.8-flash", "gemini-3.8-flash-high"));
	assert.deepEqual(
		models.map((model) => model.id),
		["gemini-3.8-flash"],
	);
});

test("windows leave agy's own compaction the first word, and tokens cost nothing", () => {
	for (const model of builtIn.map(toPiModel)) {
		const fires = model.contextWindow - 16_384;
		if (!model.id.startsWith("gpt")) assert.ok(fires > 150_000, `${model.id}: pi would compact at ${fires}`);
		assert.deepEqual(model.cost, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
		assert.deepEqual(model.input, ["text", "image"]);
		assert.ok(model.maxTokens < model.contextWindow);
	}
});

test("slugs come apart by their spelling", () => {
	const cases = {
		"gemini-3.8-flash-high": ["gemini-3.8-flash", "high", "gemini", "flash", "3.8"],
		"gemini-3.8-flash-lite-low": ["gemini-3.8-flash-lite", "low", "gemini", "flash", "3.8"],
		"claude-opus-4-6-thinking": ["claude-opus-4-6-thinking", undefined, "claude", "opus", "4.6"],
		"gpt-oss-120b-medium": ["gpt-oss-120b", "medium", "gpt-oss", "gpt-oss", "120b"],
		"my-own": ["my-own", undefined, "my", "own", ""],
	};
	for (const [slug, expected] of Object.entries(cases)) {
		const { base, tier, family, line, version } = parseSlug(slug);
		assert.deepEqual([base, tier, family, line, version], expected, slug);
	}
});

test("labels and slugs of the known models lead to each other", () => {
	for (const { accepts, label } of builtInModels) {
		assert.equal(labelFromSlug(accepts), label);
		assert.equal(slugFromLabel(label), accepts);
	}
});
