import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hopelessFailure } from "../../../../src/run/ending/hopeless.ts";
import { stepError } from "./make.ts";

const nothingOnStderr = { failure: undefined, attempts: 0 };

describe("a call of the model that is repeated for ever", () => {
	test("is hopeless after a while, from stderr or from steps, with the reason where it is known", () => {
		const limited = { failure: { kind: "rate-limit" }, attempts: 25 } as const;
		const unreachable = { kind: "model-unreachable", attempts: 25 } as const;
		assert.deepEqual(hopelessFailure(limited, [], { now: 0 }), { ...unreachable, because: "rate-limit" });
		const errors = (short: string) => Array.from({ length: 25 }, () => stepError({ short }));
		assert.deepEqual(hopelessFailure(nothingOnStderr, errors("something new"), { now: 0 }), unreachable);
		const overloaded = { ...unreachable, because: "overloaded" };
		assert.deepEqual(hopelessFailure(nothingOnStderr, errors("The model is overloaded."), { now: 0 }), overloaded);
	});
});

describe("an exhausted quota", () => {
	const text = "Individual quota reached. Resets in 1h0m0s.";

	test("is hopeless, from stderr or from a step", () => {
		const quota = { kind: "quota", adminManaged: false } as const;
		assert.deepEqual(hopelessFailure({ failure: quota, attempts: 1 }, [], { now: 0 }), quota);
		const inStep = [stepError({ full: text, code: 429 })];
		assert.equal(hopelessFailure(nothingOnStderr, inStep, { now: 0 })?.kind, "quota");
		const withTime = { ...quota, resetAt: 3_600_000 };
		assert.deepEqual(hopelessFailure({ failure: quota, attempts: 1 }, inStep, { now: 0 }), withTime);
	});

	test("is not what a passing refusal is", () => {
		const passing = stepError({ short: "Resource has been exhausted (e.g. check quota).", code: 429 });
		assert.equal(hopelessFailure(nothingOnStderr, [passing], { now: 0 }), undefined);
		assert.equal(hopelessFailure({ failure: { kind: "rate-limit" }, attempts: 24 }, [], { now: 0 }), undefined);
	});
});
