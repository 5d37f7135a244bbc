import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { parse } from "jsonc-parser";
import { bridgedPi } from "../support/bridge/bridged-pi.ts";
import { PiRpc, runPi } from "../support/pi.ts";

function servers(file: string): object {
	return parse(readFileSync(file, "utf8")).mcpServers;
}

function filesBelow(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
		entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
	);
}

describe("the registration", () => {
	const steps = [{ callMcp: { tool: "lookup", args: { query: "x" } } }, { say: "Done." }];

	for (const place of ["workspace-file", "workspace-plugin", "workspace-file,workspace-plugin"]) {
		test(`is found when agy reads ${place}, and remembered`, async (t) => {
			const pi = bridgedPi(t, { steps }, { env: { FAKE_AGY_MCP: place } });
			const rpc = new PiRpc(pi.home, pi.args());
			for (const message of ["first", "second"]) await rpc.prompt(message);
			await rpc.close();
			assert.deepEqual(pi.ran(), ["lookup x", "lookup x"]);
			const known = JSON.parse(readFileSync(pi.registrations, "utf8"));
			assert.ok(place.split(",").includes(known["1.3.3"]), known["1.3.3"]);
		});
	}

	test("holds the run's secret where only the user can read it, and is taken away", async (t) => {
		const pi = bridgedPi(t, {}, { settings: { logLevel: "debug" } });
		const gate = pi.file("gate");
		pi.play({ steps: [{ callMcp: { tool: "gated", args: { gate } } }, { say: "Done." }] });
		const running = runPi(pi.home, pi.args("--mode", "json", "hello"));
		await pi.until(`gated ${gate} began`);
		const { argv = [] } = pi.turns()[0] ?? {};
		const folder = argv[argv.lastIndexOf("--add-dir") + 1] ?? "";
		const file = join(folder, ".agents", "mcp_config.json");
		const { headers } = Object(servers(file)).pi_tools;
		const [secret = ""] = Object.values<string>(headers);
		assert.match(secret, /^[\w-]{43}$/);
		if (process.platform !== "win32") for (const path of [folder, file]) assert.equal(statSync(path).mode & 0o077, 0);
		writeFileSync(gate, "");
		const { stdout } = await running;
		assert.equal(existsSync(folder), false);
		assert.ok(!stdout.includes(secret), "in what pi writes");
		// The stand-in's record of its argv is among these.
		for (const path of filesBelow(pi.home.dir)) assert.ok(!readFileSync(path, "utf8").includes(secret), path);
	});

	test("is in the shared file only when the user allows it, and then only for our agy", async (t) => {
		const pi = bridgedPi(t, { steps }, { env: { FAKE_AGY_MCP: "global" }, settings: { bridgeGlobalConfig: true } });
		const rpc = new PiRpc(pi.home, pi.args());
		await rpc.prompt("first");
		assert.deepEqual(pi.ran(), []);
		await rpc.prompt("second");
		assert.deepEqual(pi.ran(), ["lookup x"]);
		await rpc.close();
		assert.deepEqual(servers(pi.sharedFile), {});
	});

	test("in the shared file is taken out by the next pi when this one is killed", async (t) => {
		const mine = '{ "mcpServers": { /* mine */ "mine": { "command": "true", "disabled": true } } }';
		const pi = bridgedPi(t, {}, { env: { FAKE_AGY_MCP: "global" }, settings: { bridgeGlobalConfig: true } });
		const gated = [{ callMcp: { tool: "gated", args: { gate: pi.file("never") } } }];
		pi.play({ turns: [gated, [{ say: "Fine." }]] });
		mkdirSync(dirname(pi.sharedFile), { recursive: true });
		writeFileSync(pi.sharedFile, mine);
		writeFileSync(pi.registrations, JSON.stringify({ "1.3.3": "global-entry" }));
		const rpc = new PiRpc(pi.home, pi.args());
		await rpc.request({ type: "prompt", message: "go" });
		await pi.until(`gated ${pi.file("never")} began`);
		await pi.home.closers.at(-1)?.();
		assert.equal(Object.keys(servers(pi.sharedFile)).length, 2);
		writeFileSync(pi.registrations, JSON.stringify({ "1.3.3": "workspace-plugin" }));
		await runPi(pi.home, pi.args("-p", "hello"));
		assert.equal(readFileSync(pi.sharedFile, "utf8"), mine);
	});

	test("that does not exist costs nothing but a remark", async (t) => {
		const pi = bridgedPi(t, { steps: [{ say: "Without." }] }, { env: { FAKE_AGY_MCP: "none" } });
		const rpc = new PiRpc(pi.home, pi.args());
		await rpc.prompt("first");
		await rpc.prompt("second");
		const remarks = rpc.events.filter((event) => /did not connect to pi's tools/.test(JSON.stringify(event)));
		assert.equal(remarks.filter(({ type }) => type === "extension_ui_request").length, 1);
		assert.equal(existsSync(pi.sharedFile), false);
		await rpc.close();
	});

	test("of two pi processes at once leads each to its own tools", async (t) => {
		const [one, two] = [bridgedPi(t, {}), bridgedPi(t, {})];
		for (const pi of [one, two]) {
			const gate = pi.file("gate");
			pi.play({ steps: [{ callMcp: { tool: "gated", args: { gate } } }] });
		}
		const runs = [one, two].map((pi) => runPi(pi.home, pi.args("-p", "hello")));
		for (const pi of [one, two]) await pi.until(`gated ${pi.file("gate")} began`);
		for (const pi of [two, one]) writeFileSync(pi.file("gate"), "");
		await Promise.all(runs);
		for (const pi of [one, two]) assert.deepEqual(pi.answers(), [`through ${pi.file("gate")}`]);
	});
});

test("agy is started for the bridge only where that is asked for, on the cheapest model, and it is told what came of it", async (t) => {
	const pi = bridgedPi(t, { steps: [{ say: "ready" }] });
	const said = async (line: string, env = {}) => {
		const home = { ...pi.home, env: { ...pi.home.env, ...env } };
		return (await runPi(home, pi.args("-p", line))).stdout;
	};
	assert.match(await said("/agy doctor"), /✓ pi's tools: agy is offered 5; `\/agy bridge test` tries/);
	assert.match(
		await said("/agy bridge"),
		/agy is offered 5 of pi's tools\. .*\n {2}offered: lookup, picture, broken, gated, switch_off\n {2}not offered, agy has its own: read, bash, edit, write\n/,
	);
	assert.deepEqual(pi.turns(), []);
	const connects = /✓ pi's tools: agy was started and connects to them \(workspace-plugin, after \d+\.\d s\)/;
	assert.match(await said("/agy doctor --verbose"), connects);
	assert.match(await said("/agy bridge test"), connects);
	assert.equal(pi.turns().length, 2);
	assert.ok(pi.turns().every(({ argv }) => argv.includes("gemini-3.8-flash-low")));
	assert.match(
		await said("/agy bridge test", { FAKE_AGY_MCP: "none" }),
		/! pi's tools: .* does not connect to them\n {4}→ /,
	);
});
