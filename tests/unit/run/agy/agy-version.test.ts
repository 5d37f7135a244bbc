import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { compareVersions, featuresOf, parseVersion } from "../../../../src/run/agy/agy-features.ts";
import { type AskVersion, VersionReader } from "../../../../src/run/agy/agy-version.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const env = { PATH: process.env.PATH ?? "" };

function agyFile(t: TestContext, script: string): string {
	const folder = temporaryFolder(t);
	const path = join(folder, "agy");
	writeFileSync(path, script, { mode: 0o755 });
	return path;
}

test("both forms of the version are read, and nothing else", () => {
	const version = { major: 1, minor: 2, patch: 14 };
	for (const text of ["1.2.14", "1.2.14\n", "agy version 1.2.14", "v1.2.14-beta.1", "Update available!\n1.2.14"]) {
		assert.deepEqual(parseVersion(text), version);
	}
	for (const text of ["", "1.2", "unknown", "1.2.x"]) assert.equal(parseVersion(text), undefined);
});

test("versions are ordered by number", () => {
	const order = ["0.9.99", "1.0.16", "1.1.8", "1.1.15", "1.2.0", "1.10.0", "2.0.0"];
	const sorted = [...order].reverse().sort((a, b) => compareVersions(parseVersion(a), parseVersion(b)));
	assert.deepEqual(sorted, order);
	assert.ok(compareVersions(undefined, parseVersion("0.0.1")) < 0);
	assert.equal(compareVersions(undefined, undefined), 0);
});

const boundaries = [
	["belowFloor", "1.0.16", false],
	["stdinPrompt", "1.1.1", true],
	["slugs", "1.1.5", true],
	["effort", "1.1.5", true],
	["streamJson", "1.1.8", true],
	["disableSlashCommands", "1.1.9", true],
	["usage", "1.1.11", true],
	["mode", "1.1.12", true],
	["apiKey", "1.1.13", true],
	["toollessAgents", "1.2.1", true],
] as const;

for (const [feature, since, value] of boundaries) {
	test(`${feature} turns ${value} with agy ${since}`, () => {
		const version = parseVersion(since);
		assert.ok(version);
		const before =
			version.patch > 0
				? { ...version, patch: version.patch - 1 }
				: { ...version, minor: version.minor - 1, patch: 99 };
		assert.equal(featuresOf(version)[feature], value);
		assert.equal(featuresOf(before)[feature], !value);
	});
}

test("of an unreadable version the least is assumed, and it is not called too old", () => {
	const { version, ...features } = featuresOf(undefined);
	assert.equal(version, undefined);
	assert.deepEqual(new Set(Object.values(features)), new Set([false]));
});

test("agy is asked once for each version of the file, with its stdin closed", async (t) => {
	const path = agyFile(t, '#!/bin/sh\ncat >/dev/null\necho x >>"$0.asked"\necho 1.2.14\n');
	const reader = new VersionReader();
	const [first, again] = await Promise.all([reader.read(path, env), reader.read(path, env)]);
	assert.equal(first, again);
	assert.ok(first.kind === "read" && first.features.version?.patch === 14);
	rmSync(`${path}.asked`);
	await reader.read(path, env);
	assert.equal(existsSync(`${path}.asked`), false);
	writeFileSync(`${path}.new`, "#!/bin/sh\necho agy version 1.2.17\n", { mode: 0o755 });
	renameSync(`${path}.new`, path);
	const updated = await reader.read(path, env);
	assert.ok(updated.kind === "read" && updated.features.version?.patch === 17);
});

test("an answer without a version is taken as unknown, and asked again next time", async (t) => {
	const path = agyFile(t, "#!/bin/sh\n");
	const answers = ["hello", "1.2.3"];
	const ask: AskVersion = async () => ({ kind: "said", text: answers.shift() ?? "" });
	const reader = new VersionReader(ask);
	const first = await reader.read(path, env);
	assert.ok(first.kind === "read" && first.features.version === undefined);
	const second = await reader.read(path, env);
	assert.ok(second.kind === "read" && second.features.version?.patch === 3);
});

test("an agy that does not answer is ended when nobody waits for it any more, and asked again next time", async (t) => {
	const path = agyFile(t, "#!/bin/sh\n");
	const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
	const signals: AbortSignal[] = [];
	const ask: AskVersion = async (_path, _env, signal) => {
		signals.push(signal);
		const text = (await answers[signals.length - 1]?.promise) ?? "";
		return { kind: "said", text };
	};
	const reader = new VersionReader(ask);
	const [one, other] = [new AbortController(), new AbortController()];
	const both = [reader.read(path, env, one.signal), reader.read(path, env, other.signal)];
	const waits = (reader: AbortController) => getEventListeners(reader.signal, "abort").length > 0;
	while (!waits(one) || !waits(other)) await new Promise((resolve) => setImmediate(resolve));
	one.abort();
	assert.equal(signals[0]?.aborted, false);
	other.abort();
	assert.equal(signals[0]?.aborted, true);
	const next = reader.read(path, env);
	answers[1]?.resolve("1.2.3");
	answers[0]?.resolve("");
	await Promise.all(both);
	const result = await next;
	assert.ok(result.kind === "read" && result.features.version?.patch === 3);
	assert.equal(signals.length, 2);
});

test("a failing exit code does not spoil the answer", async (t) => {
	const path = agyFile(t, "#!/bin/sh\necho 1.1.8 >&2\nexit 1\n");
	const result = await new VersionReader().read(path, env);
	assert.ok(result.kind === "read" && result.features.streamJson);
});

test("what cannot be started says why", async (t) => {
	const reader = new VersionReader();
	const path = agyFile(t, "#!/no/such/interpreter\n");
	assert.deepEqual(await reader.read(path, env), {
		kind: "failed",
		failure: { kind: "cannot-start", path, cause: "the program that should interpret it is missing" },
	});
	chmodSync(path, 0o644);
	const notExecutable = await reader.read(path, env);
	assert.ok(notExecutable.kind === "failed" && notExecutable.failure.kind === "cannot-start");
	rmSync(path);
	assert.deepEqual(await reader.read(path, env), {
		kind: "failed",
		failure: { kind: "not-installed", searched: [path] },
	});
});
