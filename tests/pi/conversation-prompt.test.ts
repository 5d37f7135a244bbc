import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { pixel } from "../unit/conversation/messages.ts";
import { Desk, flag, lastError } from "./conversation-desk.ts";

const leadIn = "The user's message:\n\n";

for (const { mode, literal } of [
	{ mode: "accept-edits", literal: true },
	{ mode: "plan", literal: false },
]) {
	test(`what would mean something to agy arrives as words (mode ${mode})`, async (t) => {
		const desk = new Desk(t, { env: { AGY_MODE: mode }, scenario: { steps: [{ say: "Understood." }] } });
		const notes = join(desk.home.cwd, "notes.txt");
		writeFileSync(notes, "milk");
		const pi = desk.open();
		for (const words of ["/usage", "!ls", "-p", "--model x", " /quota"]) {
			assert.equal((await pi.say(words)).prompt, leadIn + words);
			assert.equal(await pi.lastAnswer(), "Understood.");
		}
		const listed = `\n\nFiles and folders named in this message:\n- ${notes}`;
		assert.equal((await pi.say("@notes.txt: what is in it?")).prompt, `@notes.txt: what is in it?${listed}`);
		for (const words of ["a/b !c -d", "mail me@example.com", "tab\tand  spaces\n\nand lines ", "quotes \" ' `$HOME`"]) {
			assert.equal((await pi.say(words)).prompt, words);
		}
		for (const call of desk.invocations()) {
			assert.equal(call.argv.includes("--disable-slash-commands"), literal);
			assert.equal(flag(call, "--mode"), mode);
		}
	});
}

for (const [size, version, promptVia] of [
	[20_500, "1.3.3", "argv"],
	[200_000, "1.3.3", "argv"],
	[200_000, "1.1.7", "stdin"],
] as const) {
	test(`${size} bytes are staged in a private file (agy ${version}, ${promptVia})`, async (t) => {
		const desk = new Desk(t, { version, env: { AGY_PROMPT_VIA: promptVia } });
		const gate = desk.agy.gate("reading");
		desk.agy.play({ steps: [{ waitFor: gate.file }, { say: "Read." }] });
		const pi = desk.open();
		const words = `/begin ${"é and so on\n".repeat(size / 13)}end`;
		const saying = pi.say(words);
		await gate.reached();
		const [call] = desk.invocations();
		const path = / in the file (\/\S+)\. Read all/.exec(call?.prompt ?? "")?.[1] ?? assert.fail(call?.prompt ?? "");
		assert.equal(readFileSync(path, "utf8"), words);
		assert.equal(statSync(path).mode & 0o777, 0o600);
		assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
		assert.ok(call?.argv.some((arg, index) => arg === dirname(path) && call.argv[index - 1] === "--add-dir"));
		gate.open();
		await saying;
		assert.equal(await pi.lastAnswer(), "Read.");
		await pi.quit();
		assert.equal(existsSync(dirname(path)), false);
	});
}

test("what just fits is not staged", async (t) => {
	const desk = new Desk(t);
	const words = "x".repeat(20_000);
	assert.equal((await desk.open().say(words)).prompt, words);
});

for (const version of ["1.1.7", "1.3.3"]) {
	test(`prompt via stdin: nothing of it is in the process list (agy ${version})`, {
		skip: existsSync("/proc/self/cmdline") ? false : "no /proc",
	}, async (t) => {
		const desk = new Desk(t, { version, env: { AGY_PROMPT_VIA: "stdin" } });
		const gate = desk.agy.gate("thinking");
		const child = desk.agy.gate("running");
		desk.agy.play({ steps: [{ say: "Hm." }, { waitFor: gate.file }, { waitFor: child.file }, { say: "Done." }] });
		const pi = desk.open();
		const secret = "the-word-is-wisteria";
		const saying = pi.say(`keep this: ${secret}`);
		for (const each of [gate, child]) {
			await each.reached();
			assert.deepEqual(
				commandLines().filter((line) => line.includes(secret)),
				[],
			);
			each.open();
		}
		assert.equal((await saying).prompt, `keep this: ${secret}`);
		assert.equal(desk.invocations()[0]?.promptVia, "stdin");
	});
}

function commandLines(): string[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.flatMap((pid) => {
			try {
				return [readFileSync(`/proc/${pid}/cmdline`, "utf8")];
			} catch {
				return [];
			}
		});
}

test("images are files while pi lives; a session that goes on later does not need them", async (t) => {
	const desk = new Desk(t);
	const gate = desk.agy.gate("looking");
	desk.agy.play({ turns: [[{ waitFor: gate.file }, { say: "A pixel." }], [{ say: "Yes." }]] });
	const first = desk.open();
	const from = first.rpc.events.length;
	await first.rpc.request({ type: "prompt", message: "look", images: [pixel] });
	await gate.reached();
	const { prompt } = desk.turns()[0] ?? assert.fail();
	const path =
		/^look\n\nImages of this message, to be looked at:\n- (\S+\.png)$/.exec(prompt)?.[1] ?? assert.fail(prompt);
	assert.deepEqual(readFileSync(path), Buffer.from(pixel.data, "base64"));
	assert.equal(statSync(path).mode & 0o777, 0o600);
	gate.open();
	await first.rpc.next((event) => event.type === "agent_settled", from);
	await first.quit();
	assert.equal(existsSync(path), false);

	const second = desk.open("--continue");
	assert.deepEqual(await second.say("and now?"), { asked: "c1", by: "c1", prompt: "and now?" });
	assert.deepEqual(
		desk
			.invocations()
			.at(-1)
			?.argv.filter((_, index, argv) => argv[index - 1] === "--add-dir"),
		[desk.home.cwd],
	);
	// A rebuild brings the image back as a file of the new process.
	for (const name of readdirSync(desk.agy.conversations)) rmSync(join(desk.agy.conversations, name));
	const rebuilt = await second.say("again");
	const again = /\[User\]\nlook\n\[image: (\S+\.png)\]/.exec(rebuilt.prompt)?.[1] ?? assert.fail(rebuilt.prompt);
	assert.notEqual(again, path);
	assert.deepEqual(readFileSync(again), Buffer.from(pixel.data, "base64"));
});

test("an empty prompt is refused without starting agy", async (t) => {
	const desk = new Desk(t);
	const pi = desk.open();
	const events = await pi.rpc.prompt("  \n ");
	assert.match(lastError(events) ?? "", /There is nothing to send to agy\./);
	assert.deepEqual(desk.invocations(), []);
	assert.deepEqual(await pi.say("one"), { asked: undefined, by: "c1", prompt: "one" });
});

describe("instructions that agy does not read by itself", () => {
	function desk(t: ConstructorParameters<typeof Desk>[0]): Desk {
		const made = new Desk(t, { contextFiles: true, folder: "repository/part" });
		const root = join(made.home.cwd, "..");
		mkdirSync(join(root, ".git"));
		writeFileSync(join(root, "AGENTS.md"), "agy reads this itself.");
		writeFileSync(join(made.home.cwd, "CLAUDE.md"), "Use tabs.");
		writeFileSync(join(root, "..", "AGENTS.md"), "Above the repository.");
		writeFileSync(join(made.home.agentDir, "AGENTS.md"), "For all projects.");
		return made;
	}
	const appended = ["--append-system-prompt", "Always be kind."];

	test("are given once for each conversation, and again when they change", async (t) => {
		const at = desk(t);
		const pi = at.open(...appended);
		const first = await pi.say("one");
		for (const known of ["Use tabs.", "Above the repository.", "For all projects.", "Always be kind."]) {
			assert.equal(first.prompt.split(known).length, 2, `${known} in ${first.prompt}`);
		}
		assert.match(first.prompt, /<\/instructions>\n\nThe user's message:\n\none$/);
		assert.doesNotMatch(first.prompt, /agy reads this itself|running inside pi|bash/);
		assert.equal((await pi.say("two")).prompt, "two");
		await pi.quit();

		const again = at.open("--continue", ...appended);
		assert.equal((await again.say("three")).prompt, "three");
		await again.rpc.request({ type: "new_session" });
		assert.match((await again.say("elsewhere")).prompt, /Use tabs\.[\s\S]*elsewhere$/);
		await again.quit();

		writeFileSync(join(at.home.cwd, "CLAUDE.md"), "Use spaces.");
		const changed = at.open("--continue", ...appended);
		const told = await changed.say("four");
		assert.match(told.prompt, /These replace the earlier ones:\n<instructions>[\s\S]*Use spaces\.[\s\S]*four$/);
		assert.equal((await changed.say("five")).prompt, "five");
	});

	test("no longer apply when they are taken away", async (t) => {
		const at = new Desk(t);
		await at.print(...appended, "one");
		await at.print("--continue", "two");
		await at.print("--continue", "three");
		const [first, second, third] = at.turns();
		assert.match(first?.prompt ?? "", /Always be kind\./);
		assert.equal(
			second?.prompt,
			"The user's earlier standing instructions no longer apply.\n\nThe user's message:\n\ntwo",
		);
		assert.deepEqual(third, { asked: "c1", by: "c1", prompt: "three" });
	});
});
