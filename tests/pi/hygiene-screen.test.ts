import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { PiScreen, skipWithoutTmux } from "../support/pi.ts";
import { FAKE_AGY, type Scenario } from "../support/scenario.ts";
import { agyProcesses, nothingLeft } from "./agy-processes.ts";
import { Desk } from "./conversation-desk.ts";

const skip = (await skipWithoutTmux()) || (process.platform !== "linux" && "needs /proc");
const FINE: Scenario = { steps: [{ say: "Fine." }] };

async function open(t: TestContext, scenario: (desk: Desk) => Scenario, env: Record<string, string> = {}) {
	const desk = new Desk(t, { env: { AGY_SKIP_PERMISSIONS: "1", ...env } });
	desk.agy.play(scenario(desk));
	const screen = await PiScreen.open(desk.home, desk.args());
	await screen.shows(/gemini-3\.8-flash/);
	return { desk, screen };
}

/** An agy that does not tell its version for long. */
function agyThatHesitates(t: TestContext): string {
	const folder = mkdtempSync(join(tmpdir(), "slow-agy-"));
	t.after(() => rmSync(folder, { recursive: true }));
	const path = join(folder, "agy");
	writeFileSync(path, `#!/bin/sh\ncase "$*" in *--version*) sleep 600 ;; esac\nexec "${FAKE_AGY}" "$@"\n`);
	chmodSync(path, 0o755);
	return path;
}

const gateFile = (desk: Desk) => desk.agy.gate("go").file;

/** What agy does when Escape is pressed, and how one sees that it does. */
const moments: {
	readonly when: string;
	readonly scenario: (desk: Desk) => Scenario;
	readonly seen: RegExp;
	/** Still on the screen afterwards. */
	readonly kept?: RegExp;
}[] = [
	{
		when: "agy gives no sign of life",
		scenario: () => ({ before: [{ hang: true }], ignoreSignals: ["SIGINT", "SIGTERM"] }),
		seen: /agy: starting/,
	},
	{
		when: "agy thinks",
		scenario: (desk) => ({ steps: [{ think: "Let me think." }, { waitFor: gateFile(desk) }] }),
		seen: /Let me think\./,
		kept: /Let me think\./,
	},
	{
		when: "agy writes",
		scenario: (desk) => ({ steps: [{ say: "Half an answer" }, { waitFor: gateFile(desk) }] }),
		seen: /Half an answer/,
		kept: /Half an answer/,
	},
	{
		when: "a card follows a command",
		scenario: (desk) => ({
			steps: [
				{ say: "I build." },
				{ run: { command: "make all", output: ["compiling\n", { waitFor: gateFile(desk) }] } },
			],
		}),
		seen: /compiling/,
		kept: /I build\.[\s\S]*run make all[\s\S]*compiling/,
	},
	{
		when: "agy waits for permission",
		scenario: (desk) => ({
			steps: [{ run: { command: "make all", permission: true, during: [{ waitFor: gateFile(desk) }] } }],
		}),
		seen: /run make all/,
		kept: /run make all/,
	},
	{
		when: "agy repeats a call of its model",
		scenario: () => ({
			steps: [
				{ say: "So," },
				{ retryForever: { message: "Resource has been exhausted (e.g. check quota).", everyMs: 3_000 } },
			],
		}),
		seen: /agy: retrying/,
		kept: /So,/,
	},
];

describe("Escape", () => {
	for (const { when, scenario, seen, kept } of moments) {
		test(`while ${when}`, { skip }, async (t) => {
			const { desk, screen } = await open(t, scenario);
			await screen.submit("go on");
			await screen.shows(seen);
			await screen.press("Escape");
			const shown = await screen.shows(/^(?![\s\S]*agy: )[\s\S]*Operation aborted/);
			if (kept !== undefined) assert.match(shown, kept);
			await nothingLeft(desk.agy);
			desk.agy.play(FINE);
			await screen.submit("and now");
			await screen.shows(/Fine\./);
		});
	}

	test("while agy is asked for its version", { skip }, async (t) => {
		const silent: Scenario = { before: [{ hang: true }] };
		const { desk, screen } = await open(t, () => silent, { AGY_BIN: agyThatHesitates(t) });
		await screen.submit("go on");
		await screen.shows(/Working/);
		await screen.press("Escape");
		await screen.shows(/Operation aborted/);
		await nothingLeft(desk.agy);
	});

	test("while it waits for a place", { skip }, async (t) => {
		const busy: (desk: Desk) => Scenario = (desk) => ({ steps: [{ say: "Busy." }, { waitFor: gateFile(desk) }] });
		const { desk, screen } = await open(t, busy, { AGY_MAX_PARALLEL_RUNS: "1" });
		const other = desk.open();
		await other.rpc.request({ type: "prompt", message: "work" });
		await desk.agy.gate("go").reached();
		await screen.submit("me too");
		await screen.shows(/agy: waiting for a slot/);
		await screen.press("Escape");
		await screen.shows(/Operation aborted/);
		assert.equal((await agyProcesses(desk.agy)).length, 1);
		desk.agy.gate("go").open();
		await other.rpc.next((event) => event.type === "agent_settled", 0);
		assert.equal(await other.lastAnswer(), "Busy.");
	});
});

describe("nothing of agy survives", () => {
	/** A turn that would go on for ever, with a command in a group of its own. */
	async function atWork(t: TestContext) {
		const { desk, screen } = await open(t, (desk) => ({
			ignoreSignals: ["SIGINT", "SIGTERM"],
			steps: [
				{ say: "I stay." },
				{ grandchild: { seconds: 600, holdStdout: true, ownGroup: true } },
				{ run: { command: "make all", output: ["compiling\n", { waitFor: gateFile(desk) }] } },
			],
		}));
		await screen.submit("go on");
		await screen.shows(/compiling/);
		assert.equal((await agyProcesses(desk.agy)).length, 2);
		return { desk, screen };
	}

	for (const command of ["/new", "/quit"]) {
		test(command, { skip }, async (t) => {
			const { desk, screen } = await atWork(t);
			await screen.submit(command);
			await nothingLeft(desk.agy);
		});
	}

	test("/reload, when it stays after its answer", { skip }, async (t) => {
		const lingering: Scenario = { steps: [{ say: "The answer." }], after: [{ hang: true }] };
		const { desk, screen } = await open(t, () => lingering, { AGY_EXIT_GRACE_SECONDS: "600" });
		await screen.submit("go on");
		await screen.shows(/The answer\./);
		await screen.submit("/reload");
		await screen.shows(/Reloaded/);
		assert.deepEqual(await agyProcesses(desk.agy), []);
		desk.agy.play(FINE);
		await screen.submit("and now");
		await screen.shows(/Fine\./);
	});

	test("a terminal that is closed", { skip }, async (t) => {
		const { desk, screen } = await atWork(t);
		await screen.close();
		await nothingLeft(desk.agy);
	});
});
