import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { ToolServer } from "../../../../src/engine/engine.ts";
import { silentLog } from "../../../../src/engine/log.ts";
import { RELAY_VARIABLE } from "../../../../src/run/process/environment.ts";
import { ownIdentity, type ProcessTable, systemProcesses } from "../../../../src/run/process/process-table.ts";
import { addGlobalEntry, removeDeadEntries } from "../../../../src/run/tool-server/global-entry.ts";
import { type RegisterRequest, ToolServerRegistrar } from "../../../../src/run/tool-server/registrar.ts";
import { chooseRegistrations, type McpRegistration } from "../../../../src/run/tool-server/registrations.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

function server(connectedBy?: McpRegistration): ToolServer {
	return {
		url: (registration) => `http://127.0.0.1:1/mcp/${registration}`,
		headers: { "x-key": "secret" },
		connectedBy,
	};
}

/** A request to register `server`; `agyWorked` as in `RegisterRequest`. */
function of(
	toolServer: ToolServer,
	version: string,
	globalFile: string | undefined,
	agyWorked = false,
): RegisterRequest {
	return { server: toolServer, version, globalFile, agyWorked: () => agyWorked };
}

function place(t: TestContext) {
	const dir = temporaryFolder(t);
	const file = join(dir, "gemini", "config", "mcp_config.json");
	return { dir, file, notes: join(dir, "antigravity", "mcp-entries"), root: join(dir, "antigravity") };
}

function json(path: string) {
	return JSON.parse(readFileSync(path, "utf8"));
}

describe("the registrations to try", () => {
	const none = new Set<McpRegistration>();
	const hidden = new Set<McpRegistration>(["workspace-file", "workspace-plugin"]);

	test("are both hidden ones, while nothing is known", () => {
		assert.deepEqual(chooseRegistrations({ known: undefined, failed: none, globalAllowed: true }), [
			"workspace-file",
			"workspace-plugin",
		]);
	});
	test("are the one that worked, alone", () => {
		assert.deepEqual(chooseRegistrations({ known: "workspace-plugin", failed: none, globalAllowed: true }), [
			"workspace-plugin",
		]);
	});
	test("are all the others once the one that worked has failed", () => {
		const failed = new Set<McpRegistration>(["workspace-plugin"]);
		assert.deepEqual(chooseRegistrations({ known: "workspace-plugin", failed, globalAllowed: false }), [
			"workspace-file",
		]);
	});
	test("are the shared file only where the user allows it", () => {
		assert.deepEqual(chooseRegistrations({ known: undefined, failed: hidden, globalAllowed: true }), ["global-entry"]);
		assert.deepEqual(chooseRegistrations({ known: undefined, failed: hidden, globalAllowed: false }), []);
		assert.deepEqual(chooseRegistrations({ known: "global-entry", failed: none, globalAllowed: false }), [
			"workspace-file",
			"workspace-plugin",
		]);
	});
	test("are none when all have failed", () => {
		const failed = new Set<McpRegistration>([...hidden, "global-entry"]);
		assert.deepEqual(chooseRegistrations({ known: "global-entry", failed, globalAllowed: true }), []);
	});
});

describe("the registrar", () => {
	async function registrarIn(t: TestContext) {
		const { root, ...rest } = place(t);
		const table = systemProcesses();
		const owner = await ownIdentity(table);
		const make = () => new ToolServerRegistrar({ root, table, owner, log: silentLog });
		return { registrar: make(), make, ...rest };
	}

	test("writes what only this user can read, and takes it away again", async (t) => {
		const { registrar } = await registrarIn(t);
		const { directories, env, release } = await registrar.register(of(server(), "1.3.3", undefined));
		const [folder = ""] = directories;
		const file = join(folder, ".agents", "mcp_config.json");
		assert.deepEqual(json(file).mcpServers.pi_tools, {
			serverUrl: "http://127.0.0.1:1/mcp/workspace-file",
			headers: { "x-key": "secret" },
		});
		const plugin = json(join(folder, ".agents", "plugins", "pi", "mcp_config.json"));
		assert.equal(plugin.mcpServers.tools.serverUrl, "http://127.0.0.1:1/mcp/workspace-plugin");
		assert.equal(json(join(folder, ".agents", "plugins", "pi", "plugin.json")).name, "pi");
		if (process.platform !== "win32") {
			assert.equal(statSync(folder).mode & 0o077, 0);
			assert.equal(statSync(file).mode & 0o077, 0);
		}
		assert.deepEqual(env, {});
		await release();
		assert.equal(existsSync(folder), false);
	});

	test("remembers per version what worked, also in the next process", async (t) => {
		const { registrar, make } = await registrarIn(t);
		await (await registrar.register(of(server("workspace-plugin"), "1.3.3", undefined, true))).release();
		const later = make();
		const known = await later.register(of(server(), "1.3.3", undefined));
		assert.equal(existsSync(join(known.directories[0] ?? "", ".agents", "mcp_config.json")), false);
		const other = await later.register(of(server(), "1.4.0", undefined));
		assert.equal(existsSync(join(other.directories[0] ?? "", ".agents", "mcp_config.json")), true);
		for (const registration of [known, other]) await registration.release();
	});

	test("goes on to the shared file, and gives up in the end, until the next process", async (t) => {
		const { registrar, make, file } = await registrarIn(t);
		const seen: string[] = [];
		for (let turn = 0; turn < 3; turn++) {
			const { directories, release } = await registrar.register(of(server(), "1.3.3", file, true));
			seen.push(directories.length > 0 ? "folder" : existsSync(file) && json(file).mcpServers ? "shared" : "nothing");
			await release();
			if (existsSync(file)) writeFileSync(file, "{}");
		}
		assert.deepEqual(seen, ["folder", "shared", "nothing"]);
		const again = await make().register(of(server(), "1.3.3", file));
		assert.equal(again.directories.length, 1);
		await again.release();
	});

	test("learns from a run whose agy is still on its way out", async (t) => {
		const { registrar, file } = await registrarIn(t);
		const first = await registrar.register(of(server(), "1.3.3", file, true));
		const second = await registrar.register(of(server(), "1.3.3", file));
		assert.deepEqual(second.directories, []);
		assert.equal(Object.keys(json(file).mcpServers).length, 1);
		for (const registration of [first, second]) await registration.release();
	});

	test("learns nothing from a run that failed before agy worked", async (t) => {
		const { registrar } = await registrarIn(t);
		await (await registrar.register(of(server(), "1.3.3", undefined, false))).release();
		const next = await registrar.register(of(server(), "1.3.3", undefined));
		assert.equal(next.directories.length, 1);
		await next.release();
	});

	test("goes without, when the shared file is not what it has to be, and leaves that alone", async (t) => {
		const { registrar, file } = await registrarIn(t);
		await (await registrar.register(of(server(), "1.3.3", file, true))).release();
		await (await registrar.register(of(server(), "1.3.3", file, false))).release();
		writeFileSync(file, "{ this is not JSON");
		const { directories, env, release } = await registrar.register(of(server(), "1.3.3", file));
		assert.deepEqual({ directories, env }, { directories: [], env: {} });
		await release();
		assert.equal(readFileSync(file, "utf8"), "{ this is not JSON");
	});
});

describe("the entry in the shared file", () => {
	test("has no secret, is there once for all runs of a process, and goes with the last", async (t) => {
		const { file, notes } = place(t);
		const owner = await ownIdentity(systemProcesses());
		const [first, second] = [
			await addGlobalEntry(server(), { file, notes, owner }),
			await addGlobalEntry(server(), { file, notes, owner }),
		];
		const name = `pi_tools_${process.pid}`;
		assert.deepEqual(Object.keys(json(file).mcpServers), [name]);
		assert.doesNotMatch(readFileSync(file, "utf8"), /secret|127\.0\.0\.1/);
		assert.deepEqual(JSON.parse(first.env[RELAY_VARIABLE] ?? ""), {
			name,
			url: "http://127.0.0.1:1/mcp/global-entry",
			headers: { "x-key": "secret" },
		});
		await first.remove();
		assert.deepEqual(Object.keys(json(file).mcpServers), [name]);
		await second.remove();
		assert.deepEqual(json(file).mcpServers, {});
		assert.equal(existsSync(join(notes, `${name}.json`)), false);
	});

	test("stays for a run that begins while the last one ends", async (t) => {
		const { file, notes } = place(t);
		const owner = await ownIdentity(systemProcesses());
		const first = await addGlobalEntry(server(), { file, notes, owner });
		const [, second] = await Promise.all([first.remove(), addGlobalEntry(server(), { file, notes, owner })]);
		const name = `pi_tools_${process.pid}`;
		assert.deepEqual(Object.keys(json(file).mcpServers), [name]);
		assert.equal(existsSync(join(notes, `${name}.json`)), true);
		await second.remove();
		assert.deepEqual(json(file).mcpServers, {});
	});

	test("of a pi that died is taken out by the next one; that of a living one stays", async (t) => {
		const { file, notes } = place(t);
		const dead = { pid: 999_999, startTime: "boot-1.5" };
		const living = { pid: 999_998, startTime: "boot-1.6" };
		await addGlobalEntry(server(), { file: `${file}`, notes, owner: dead });
		await addGlobalEntry(server(), { file: join(file, "..", "other.json"), notes, owner: living });
		const table: ProcessTable = {
			list: async () => [],
			startTime: async (pid) => (pid === living.pid ? living.startTime : "boot-1.9"),
			withEnvironment: async () => [],
		};
		assert.equal(await removeDeadEntries(notes, table), 1);
		assert.deepEqual(json(file).mcpServers, {});
		assert.deepEqual(Object.keys(json(join(file, "..", "other.json")).mcpServers), [`pi_tools_${living.pid}`]);
		assert.equal(await removeDeadEntries(notes, table), 0);
	});

	test("of two processes at once are both there", async (t) => {
		const { file, notes } = place(t);
		const owners = Array.from({ length: 8 }, (_, n) => ({ pid: 900_000 + n, startTime: `b.${n}` }));
		const entries = await Promise.all(owners.map((owner) => addGlobalEntry(server(), { file, notes, owner })));
		assert.equal(Object.keys(json(file).mcpServers).length, owners.length);
		await Promise.all(entries.map((entry) => entry.remove()));
	});
});
