import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { candidatePaths, locateAgy } from "../../../../src/run/agy/locate-agy.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const linux = { platform: "linux", home: "/home/me" } as const;

test("a path that was named is the only place", () => {
	const env = { PATH: "/bin", AGY_BIN: "/elsewhere/agy" };
	assert.deepEqual(locateAgy({ ...linux, agyPath: "/opt/agy", env, isExecutable: () => false }), {
		kind: "missing",
		searched: ["/opt/agy"],
	});
	assert.deepEqual(locateAgy({ ...linux, env, isExecutable: () => true }), { kind: "found", path: "/elsewhere/agy" });
	assert.deepEqual(candidatePaths("~/bin/agy", { ...linux, env }), ["/home/me/bin/agy"]);
});

test("an empty name names nothing", () => {
	const env = { PATH: "/a", AGY_BIN: " " };
	const found = locateAgy({ ...linux, agyPath: "", env, isExecutable: (path) => path === "/home/me/.local/bin/agy" });
	assert.deepEqual(found, { kind: "found", path: "/home/me/.local/bin/agy" });
});

test("a name that was named is looked for on PATH only", () => {
	assert.deepEqual(candidatePaths("agy-beta", { ...linux, env: { PATH: "/a:/b" } }), ["/a/agy-beta", "/b/agy-beta"]);
});

test("PATH comes before ~/.local/bin, and relative entries of PATH do not count", () => {
	const env = { PATH: "/a:.:node_modules/.bin::/b" };
	assert.deepEqual(candidatePaths(undefined, { ...linux, env }), ["/a/agy", "/b/agy", "/home/me/.local/bin/agy"]);
	assert.deepEqual(candidatePaths(undefined, { ...linux, env: {} }), ["/home/me/.local/bin/agy"]);
	const found = locateAgy({ ...linux, env, isExecutable: (path) => path.startsWith("/home") || path.startsWith("/b") });
	assert.deepEqual(found, { kind: "found", path: "/b/agy" });
});

test("on Windows the endings of PATHEXT are tried", () => {
	const windows = { platform: "win32", home: "C:\\Users\\me" } as const;
	const env = { Path: "C:\\bin", PATHEXT: ".EXE;.CMD" };
	assert.deepEqual(candidatePaths("agy", { ...windows, env }), ["C:\\bin\\agy.exe", "C:\\bin\\agy.cmd"]);
	assert.deepEqual(candidatePaths("D:\\agy.exe", { ...windows, env }), ["D:\\agy.exe"]);
});

test("only a file that may be executed is agy", (t) => {
	const folder = temporaryFolder(t);
	const [asFolder, asData, asProgram] = ["folder", "data", "program"].map((name) => join(folder, name)) as [
		string,
		string,
		string,
	];
	for (const sub of [asFolder, asData, asProgram]) mkdirSync(sub);
	mkdirSync(join(asFolder, "agy"));
	writeFileSync(join(asData, "agy"), "");
	chmodSync(join(asData, "agy"), 0o644);
	writeFileSync(join(asProgram, "real"), "#!/bin/sh\n", { mode: 0o755 });
	symlinkSync(join(asProgram, "real"), join(asProgram, "agy"));
	const path = [asFolder, asData, asProgram].join(":");
	assert.deepEqual(locateAgy({ ...linux, env: { PATH: path } }), { kind: "found", path: join(asProgram, "agy") });
});
