import assert from "node:assert/strict";
import { test } from "node:test";
import { redact, redactFacts } from "../../../src/log/redact.ts";

const home = "/home/erika";

/** Put together here, so that no tool takes this file for a leak. */
const secrets: Record<string, string> = {
	"a Google access token": `ya29.${"a0AfH6SMB".repeat(4)}`,
	"a Google refresh token": `1//${"0gX_y-Z".repeat(6)}`,
	"a sign-in code": `4/${"0AY0e-g7".repeat(5)}`,
	"a Google API key": `AIza${"SyD-x_1".repeat(6)}`,
	"a JSON web token": `eyJ${"hbGciOi".repeat(3)}.${"eyJzdWI".repeat(3)}.${"sig-_x".repeat(4)}`,
	"a GitHub token": `ghp_${"Ab1".repeat(12)}`,
	"a private key": `-----BEGIN RSA PRIVATE KEY-----\n${"MIIE".repeat(20)}\n-----END RSA PRIVATE KEY-----`,
};

for (const [name, secret] of Object.entries(secrets)) {
	test(`${name} is taken out wherever it stands`, () => {
		for (const text of [secret, `before ${secret} after`, `--print=${secret}`, JSON.stringify({ x: secret })]) {
			const clean = redact(text, home);
			assert.ok(!clean.includes(secret.slice(8, 24)), clean);
			assert.match(clean, /\[redacted\]/);
		}
	});
}

test("values behind names that promise a secret are taken out", () => {
	for (const text of [
		"GEMINI_API_KEY=abcdef123456",
		'"password": "hunter2hunter2"',
		"Authorization: Bearer abcdef123456",
		"X-Codeium-Csrf-Token: abcdef123456",
		"--csrf_token abcdef123456",
		"client_secret=abcdef123456&x=1",
	]) {
		const clean = redact(text, home);
		assert.ok(!/abcdef|hunter2/.test(clean), clean);
	}
});

test("a URL keeps its place and loses what it carries", () => {
	assert.equal(
		redact("visit https://accounts.google.com/o/oauth2/auth?client_id=7&code=4x#frag now", home),
		"visit https://accounts.google.com/o/oauth2/auth?[redacted] now",
	);
	assert.equal(redact("proxy http://erika:geheim@proxy.local:8080/x", home), "proxy http://proxy.local:8080/x");
	assert.equal(redact("see https://pi.dev/docs", home), "see https://pi.dev/docs");
});

test("the home folder is written as ~", () => {
	assert.equal(redact("/home/erika/src/x.ts and /home/erika", home), "~/src/x.ts and ~");
	assert.equal(redact("/usr/bin/agy", "/"), "/usr/bin/agy");
});

test("what is harmless stays as it is", () => {
	for (const text of [
		"exit 3",
		"12800 tokens",
		"token count: 12",
		"gemini-3.8-flash-high",
		"step 4/12",
		"the cookie banner",
	]) {
		assert.equal(redact(text, home), text);
	}
});

test("facts are cleaned at every depth, and long texts are cut", () => {
	const facts = redactFacts(
		{
			argv: ["--model", "/home/erika/x"],
			env: { refresh_token: "short" },
			tokens: 5,
			skipped: undefined,
			long: "x".repeat(30),
		},
		home,
		10,
	);
	assert.deepEqual(facts, {
		argv: ["--model", "~/x"],
		env: { refresh_token: "[redacted]" },
		tokens: 5,
		long: "xxxxxxxxxx… (30 characters)",
	});
});

test("long hostile texts are cleaned without delay", () => {
	for (const text of ["a".repeat(200_000), "://".repeat(60_000), "token ".repeat(30_000), "eyJ".repeat(60_000)]) {
		assert.ok(redact(text, home).length > 0);
	}
});
