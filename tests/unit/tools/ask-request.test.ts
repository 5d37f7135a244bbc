import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultSettings } from "../../../src/config/schema.ts";
import { builtInModels } from "../../../src/models/built-in.ts";
import { collapse } from "../../../src/models/catalogue-model.ts";
import { type AskParameters, withoutBlanks } from "../../../src/tools/ask-antigravity/parameters.ts";
import {
	type Delegation,
	decideDelegation,
	modelName,
	requestFor,
	type Situation,
} from "../../../src/tools/ask-antigravity/request.ts";

const situation: Situation = {
	settings: defaultSettings,
	models: collapse(builtInModels),
	modelsComplete: true,
	sessionCwd: "/home/me/project",
	earlier: undefined,
};
const earlier = { conversationId: "c-1", cwd: "/home/me/other", model: "gemini-3.8-flash", effort: "high" as const };

function accepted(params: Partial<AskParameters>, more: Partial<Situation> = {}): Delegation {
	const decision = decideDelegation({ prompt: "look", ...params }, { ...situation, ...more });
	if ("refused" in decision) throw new Error(JSON.stringify(decision.refused));
	return decision.delegation;
}

function refused(params: Partial<AskParameters>, more: Partial<Situation> = {}) {
	const decision = decideDelegation({ prompt: "look", ...params }, { ...situation, ...more });
	if ("delegation" in decision) throw new Error("was accepted");
	return decision.refused;
}

test("what a call leaves open comes from the settings and the session", () => {
	const settings = { ...defaultSettings, mode: "plan" as const, permissions: "deny" as const };
	const delegation = accepted({}, { settings });
	assert.equal(modelName(delegation.model), "gemini-3.8-flash medium");
	assert.deepEqual(
		[delegation.mode, delegation.permissions, delegation.cwd, delegation.context],
		["plan", "deny", "/home/me/project", "none"],
	);
	assert.equal("totalDeadlineMs" in delegation, false);
});

test("what a model leaves blank counts as left out, and an empty prompt as empty", () => {
	const blank = { model: "", thinking: null, cwd: "", conversationId: "", digest: null, timeoutMinutes: null };
	assert.deepEqual(withoutBlanks({ prompt: "look", mode: "plan", ...blank }), { prompt: "look", mode: "plan" });
	assert.deepEqual(withoutBlanks({ prompt: "", digest: false }), { prompt: "", digest: false });
	for (const args of [{ prompt: null }, null, "look", undefined]) assert.deepEqual(withoutBlanks(args), {});
});

test("nothing is delegated to an agy whose tools are switched off", () => {
	const failure = refused({}, { settings: { ...defaultSettings, toolsRunIn: "pi" } });
	assert.match(JSON.stringify(failure), /toolsRunIn/);
});

describe("the model", () => {
	for (const [model, thinking, name] of [
		["flash", undefined, "gemini-3.8-flash medium"],
		["flash", "low", "gemini-3.8-flash low"],
		["flash high", "low", "gemini-3.8-flash high"],
		["3.8 flash", "high", "gemini-3.8-flash high"],
		["gemini-3.8-flash-low", undefined, "gemini-3.8-flash low"],
	] as const) {
		test(`${model}${thinking === undefined ? "" : ` with thinking ${thinking}`} is ${name}`, () => {
			assert.equal(modelName(accepted({ model, ...(thinking && { thinking }) }).model), name);
		});
	}

	test("a tier that does not exist becomes one that does", () => {
		const [first] = situation.models.filter((model) => model.tiers.length > 0);
		assert.ok(first);
		const lowOnly = { ...first, tiers: first.tiers.filter((tier) => tier.effort === "low") };
		const delegation = accepted({ model: first.id, thinking: "high" }, { models: [lowOnly] });
		assert.equal(delegation.model.effort, "low");
	});

	test("without tiers it has its plain name", () => {
		assert.match(modelName(accepted({ model: "sonnet", thinking: "high" }).model), /^claude-sonnet-[\w-]+$/);
	});

	test("an unknown one is refused with all that exist", () => {
		const failure = refused({ model: "flash 9.9" });
		assert.equal(failure.kind, "unknown-model");
		assert.ok(failure.kind === "unknown-model" && failure.available.length === situation.models.length);
	});
});

test("a compact answer is asked for in plan mode, unless the call says otherwise", () => {
	assert.equal(accepted({ mode: "plan" }).compact, true);
	assert.equal(accepted({ mode: "accept-edits" }).compact, false);
	assert.equal(accepted({ mode: "plan", digest: false }).compact, false);
	assert.equal(accepted({ mode: "accept-edits", digest: true }).compact, true);
});

describe("refused before anything is looked up:", () => {
	test("an empty prompt", () => {
		assert.match(JSON.stringify(refused({ prompt: " \n" })), /prompt is empty/);
	});

	test("a relative directory", () => {
		assert.match(JSON.stringify(refused({ cwd: "src" })), /not an absolute directory: src/);
	});

	test("a conversation that no delegation made, such as the session's own", () => {
		assert.match(JSON.stringify(refused({ conversationId: "c-9" })), /No earlier delegation has the conversation c-9/);
	});

	test("a conversation of another directory", () => {
		const failure = refused({ conversationId: "c-1", cwd: "/home/me/project" }, { earlier });
		assert.match(JSON.stringify(failure), /belongs to \/home\/me\/other/);
	});
});

test("a continued delegation stays in its directory and with its model, unless another is named", () => {
	const same = accepted({ conversationId: "c-1" }, { earlier });
	assert.deepEqual(
		[same.conversationId, same.cwd, modelName(same.model)],
		["c-1", "/home/me/other", "gemini-3.8-flash high"],
	);
	const other = accepted({ conversationId: "c-1", model: "pro", thinking: "low", cwd: "/home/me/other/" }, { earlier });
	assert.equal(other.model.effort, "low");
	assert.match(modelName(other.model), /pro/);
});

test("the request is a delegation with the model, the folders and the deadline of the call", () => {
	const delegation = accepted({ conversationId: "c-1", mode: "plan", timeoutMinutes: 1.5 }, { earlier });
	assert.deepEqual(requestFor(delegation, "the prompt", ["/tmp/x"]), {
		prompt: "the prompt",
		cwd: "/home/me/other",
		addDirs: ["/tmp/x"],
		model: delegation.model,
		mode: "plan",
		permissions: "skip",
		resume: { conversationId: "c-1" },
		purpose: "delegation",
		literalPrompt: true,
		totalDeadlineMs: 90_000,
	});
});
