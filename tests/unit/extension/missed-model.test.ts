import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ModelChoice, missedModelText } from "../../../src/extension/missed-model.ts";

const flash = { provider: "antigravity", id: "flash" };
const gpt = { provider: "openai", id: "gpt" };
const choice: ModelChoice = { current: gpt, isFixed: false, last: undefined, preferred: flash, known: ["flash"] };

describe("a person is told", () => {
	test("that another model was taken than the default", () => {
		assert.match(
			missedModelText(choice) ?? "",
			/^pi began with openai\/gpt, because .* Pick antigravity\/flash with \/model; `\/login antigravity`/,
		);
	});
	test("that another model was taken than the session had", () => {
		assert.match(missedModelText({ ...choice, last: flash, preferred: gpt }) ?? "", /Pick antigravity\/flash/);
	});
	test("that there is no model although agy has some", () => {
		const none = { ...choice, current: undefined, preferred: undefined };
		assert.match(missedModelText(none) ?? "", /^pi began without a model.* Pick one with \/model/);
	});
});

const others: readonly [name: string, change: Partial<ModelChoice>][] = [
	["the model is ours", { current: flash }],
	["it was named on the command line", { isFixed: true }],
	["the session had another provider's", { last: gpt }],
	["the default is another provider's", { preferred: gpt }],
	["there is no default, and pi found a model", { preferred: undefined }],
	["agy has no such model any more", { known: ["pro"] }],
	["no model of agy is known", { known: [], current: undefined, preferred: undefined }],
];

describe("nothing is said where", () => {
	for (const [name, change] of others) {
		test(name, () => assert.equal(missedModelText({ ...choice, ...change }), undefined));
	}
});
