import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveAlias } from "../../../src/models/alias.ts";
import { builtInModels } from "../../../src/models/built-in.ts";
import { collapse } from "../../../src/models/catalogue-model.ts";
import { resolveModel } from "../../../src/models/resolve.ts";
import { suggest } from "../../../src/models/suggest.ts";

const models = collapse(builtInModels);

test("an exact slug of agy is a model id, and its tier wins over the thinking level", () => {
	const found = resolveModel(models, "gemini-3.8-flash-low", "high", true);
	assert.deepEqual(found, {
		choice: { slug: "gemini-3.8-flash-low", base: "gemini-3.8-flash", effort: "low" },
		family: "gemini",
	});
});

test("a model that vanished is not passed on; like ones are suggested", () => {
	const found = resolveModel(models, "gemini-3.5-flash", undefined, true);
	assert.ok("unknown" in found);
	assert.equal(found.unknown, "gemini-3.5-flash");
	assert.ok(found.alike.includes("gemini-3.8-flash"), found.alike.join(", "));
});

test("while agy was never asked, a well-formed slug goes through and nothing else does", () => {
	assert.deepEqual(resolveModel(models, "gemini-9-ultra-high", undefined, false), {
		choice: { slug: "gemini-9-ultra-high" },
		family: "gemini",
	});
	for (const bad of ["--model", "gemini 9", "", "a\nb", "x".repeat(200)]) {
		assert.ok("unknown" in resolveModel(models, bad, undefined, false), JSON.stringify(bad));
	}
});

const aliases: Record<string, string> = {
	flash: "gemini-3.8-flash-medium",
	gemini: "gemini-3.8-flash-medium",
	pro: "gemini-3.1-pro-high",
	"pro low": "gemini-3.1-pro-low",
	sonnet: "claude-sonnet-4-6",
	opus: "claude-opus-4-6-thinking",
	claude: "claude-sonnet-4-6",
	"gpt-oss": "gpt-oss-120b-medium",
	"GPT OSS": "gpt-oss-120b-medium",
	"flash high": "gemini-3.8-flash-high",
	"3.7 flash": "gemini-3.7-flash-medium",
	"Flash 3.6 (Low)": "gemini-3.6-flash-low",
	"gemini 3.1 pro": "gemini-3.1-pro-high",
	"sonnet 4.6": "claude-sonnet-4-6",
	"gemini-3.8-flash": "gemini-3.8-flash-medium",
	"gemini-3.7-flash-high": "gemini-3.7-flash-high",
};

for (const [name, slug] of Object.entries(aliases)) {
	test(`people's "${name}" is ${slug}`, () => {
		const found = resolveAlias(models, name, undefined, true);
		assert.equal("choice" in found ? found.choice.slug : found, slug);
	});
}

test("the newest version wins by number, not by spelling", () => {
	const many = collapse(
		["gemini-3.9-flash-high", "gemini-3.10-flash-high"].map((accepts) => ({ accepts, label: accepts })),
	);
	const found = resolveAlias(many, "flash", undefined, true);
	assert.equal("choice" in found && found.choice.slug, "gemini-3.10-flash-high");
});

test("a tier in the name wins over the asked effort, which wins over the default", () => {
	const slug = (name: string, effort: "low" | undefined) => {
		const found = resolveAlias(models, name, effort, true);
		return "choice" in found ? found.choice.slug : undefined;
	};
	assert.equal(slug("flash", "low"), "gemini-3.8-flash-low");
	assert.equal(slug("flash high", "low"), "gemini-3.8-flash-high");
});

test("a name that no model has gets all there are, and those like it", () => {
	for (const name of ["haiku", "flsh", "flash 9.9", "", "high", "  "]) {
		const found = resolveAlias(models, name, undefined, true);
		assert.ok("unknown" in found, name);
		assert.deepEqual(
			found.available,
			models.map(({ id }) => id),
		);
	}
	const like = (name: string) => {
		const found = resolveAlias(models, name, undefined, true);
		return "unknown" in found ? found.alike : [];
	};
	assert.deepEqual(like("gemini-3.8-flsh").slice(0, 1), ["gemini-3.8-flash"]);
	assert.deepEqual(like("nonsense"), []);
});

test("suggestions tolerate a typo and leave out what is unlike", () => {
	const words = ["status", "doctor", "models", "quota"];
	assert.deepEqual(suggest("stauts", words), ["status"]);
	assert.deepEqual(suggest("doc", words), ["doctor"]);
	assert.deepEqual(suggest("QUOTE", words), ["quota"]);
	assert.deepEqual(suggest("zzzz", words), []);
});
