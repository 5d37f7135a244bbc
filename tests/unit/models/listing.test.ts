import assert from "node:assert/strict";
import { test } from "node:test";
import { parseListing } from "../../../src/models/listing.ts";

const flash = { accepts: "gemini-3.8-flash-high", label: "Gemini 3.8 Flash (High)" };
const sonnet = { accepts: "claude-sonnet-4-6", label: "Claude Sonnet 4.6" };
const envelope = {
	status: "SUCCESS",
	response: "gemini-3.8-flash-high\tGemini 3.8 Flash (High)\nclaude-sonnet-4-6\tClaude Sonnet 4.6\n",
	command: { name: "models", data: { models: [flash, sonnet].map(({ accepts, label }) => ({ id: accepts, label })) } },
};

const forms: Record<string, string> = {
	JSON: JSON.stringify(envelope),
	"JSON over several lines": JSON.stringify(envelope, null, 2),
	"JSON between stray lines": `Checking for updates...\n${JSON.stringify(envelope)}\nbye\n`,
	"JSON whose data is missing": JSON.stringify({ status: "SUCCESS", response: envelope.response }),
	"JSON whose data has another shape": JSON.stringify({ ...envelope, command: { data: { models: "many" } } }),
	"two columns with a tab": envelope.response,
	"two columns with spaces":
		"gemini-3.8-flash-high   Gemini 3.8 Flash (High)\r\nclaude-sonnet-4-6       Claude Sonnet 4.6\r\n",
	slugs: "gemini-3.8-flash-high\nclaude-sonnet-4-6\n",
	coloured: "\u001b[1mgemini-3.8-flash-high\u001b[0m\tGemini 3.8 Flash (High)\nclaude-sonnet-4-6\tClaude Sonnet 4.6",
	"with a header and a banner":
		"MODEL\tLABEL\nGemini 4 Flash is now available!\ngemini-3.8-flash-high\tGemini 3.8 Flash (High)\nclaude-sonnet-4-6\tClaude Sonnet 4.6",
	"with a model twice": `${envelope.response}gemini-3.8-flash-high\tGemini again\n`,
};

for (const [name, stdout] of Object.entries(forms)) {
	test(`reads the list as ${name}`, () => {
		assert.deepEqual(parseListing(stdout), [flash, sonnet]);
	});
}

test("before agy 1.1.5 a model's label is also what agy accepts", () => {
	const labels = ["Gemini 3.1 Pro (High)", "Claude Opus 4.6 (Thinking)", "GPT-OSS 120B (Medium)"];
	assert.deepEqual(
		parseListing(labels.join("\n")),
		labels.map((label) => ({ accepts: label, label })),
	);
});

const notModels: Record<string, string> = {
	nothing: "",
	"a request to sign in":
		"Error: Please sign in to view available models. Launch the CLI without arguments to sign in.",
	"a sign-in link":
		"Authentication required. Please visit the URL to log in:\n  https://accounts.google.com/o/oauth2/auth?x=1-2",
	"a banner": "Gemini 3.8 Flash is now available\nUpdate to agy 1.3.3  today",
	"words with a hyphen": "sign-in\npre-release",
	"an error in JSON": '{"status":"ERROR","error":"please sign in","response":""}',
	"half a JSON object": '{"command":{"data":{"models":[{"id":"gemini-3.8-flash-high"',
	"ids of another shape": '{"command":{"data":{"models":[{"id":"rm -rf /"},{"id":"--model"},{"id":7},null]}}}',
	"a model in a sentence": "You can use Gemini 3.8 Flash (High) and more",
};

for (const [name, stdout] of Object.entries(notModels)) {
	test(`makes no model of ${name}`, () => {
		assert.deepEqual(parseListing(stdout), []);
	});
}

test("a megabyte of spaces or dashes is read without delay", () => {
	for (const noise of [" ".repeat(1 << 20), "-".repeat(1 << 20), "a-".repeat(1 << 19)]) {
		assert.deepEqual(parseListing(noise), []);
	}
});
