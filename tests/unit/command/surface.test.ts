import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { askPermissionsOnce } from "../../../src/command/permission-question.ts";
import { printReply } from "../../../src/command/print-mode.ts";
import { createSettingsSource } from "../../../src/config/settings-source.ts";
import { commandEnvironment } from "./environment.ts";

/** A screen on which the person picks the first option that matches; undefined leaves the question. */
function screen(mode: ExtensionContext["mode"], picks: RegExp | undefined) {
	const asked: string[] = [];
	const told: string[] = [];
	const ui = {
		async select(title: string, options: string[]) {
			asked.push([title, ...options].join("\n"));
			return options.find((option) => picks?.test(option));
		},
		notify(text: string) {
			told.push(text);
		},
	};
	// Only these two of pi's many ways to the screen are used here.
	return { asked, told, ctx: { mode, ui: ui as unknown as ExtensionContext["ui"], signal: undefined } };
}

test("the question is asked once, explains both answers, and the answer is remembered", async (t) => {
	const { settings } = commandEnvironment(t);
	const { ctx, asked } = screen("tui", /^Deny/);
	assert.equal(await askPermissionsOnce(ctx, settings), true);
	assert.equal(await askPermissionsOnce(ctx, settings), true);
	assert.equal(asked.length, 1);
	assert.match(asked[0] ?? "", /without asking[\s\S]*like pi's own tools[\s\S]*refusal is shown/);
	assert.equal(settings.current().permissions, "deny");
});

test("choosing the default is remembered too", async (t) => {
	const { settings } = commandEnvironment(t);
	const { ctx, asked } = screen("tui", /^Skip/);
	await askPermissionsOnce(ctx, settings);
	await askPermissionsOnce(ctx, settings);
	assert.deepEqual([asked.length, settings.origin("permissions")], [1, "file"]);
});

test("a question left without an answer allows nothing, changes nothing and comes again", async (t) => {
	const { settings } = commandEnvironment(t);
	const { ctx, asked, told } = screen("tui", undefined);
	assert.equal(await askPermissionsOnce(ctx, settings), false);
	assert.equal(await askPermissionsOnce(ctx, settings), false);
	assert.deepEqual([asked.length, settings.origin("permissions")], [2, "default"]);
	assert.match(told[0] ?? "", /was not started.*\/agy permissions/);
});

test("who denies gets no agy when the answer cannot be saved", async () => {
	const settings = createSettingsSource("/dev/null/antigravity/config.json", {});
	const denying = screen("tui", /^Deny/);
	assert.equal(await askPermissionsOnce(denying.ctx, settings), false);
	assert.match(denying.told[0] ?? "", /could not be written/);
	assert.equal(await askPermissionsOnce(screen("tui", /^Skip/).ctx, settings), true);
});

test("only pi's own screen asks, and only where nothing was decided", async (t) => {
	const { settings } = commandEnvironment(t);
	for (const mode of ["print", "json", "rpc"] as const) {
		const { ctx, asked } = screen(mode, /^Skip/);
		assert.equal(await askPermissionsOnce(ctx, settings), true);
		assert.deepEqual(asked, [], mode);
	}
	const decided = commandEnvironment(t, { variables: { AGY_SKIP_PERMISSIONS: "0" } }).settings;
	const { ctx, asked } = screen("tui", /^Skip/);
	await askPermissionsOnce(ctx, decided);
	assert.deepEqual([asked, decided.current().permissions], [[], "deny"]);
});

test("a reply is printed whole, also where the pipe takes it in pieces or not at once", async () => {
	const taken: Buffer[] = [];
	let calls = 0;
	await printReply("grüße", (_fd, chunk) => {
		calls++;
		if (calls === 2) throw Object.assign(new Error("busy"), { code: "EAGAIN" });
		const piece = Buffer.from(chunk as Uint8Array).subarray(0, 3);
		taken.push(piece);
		return piece.length;
	});
	assert.equal(Buffer.concat(taken).toString("utf8"), "grüße\n");
});

test("nobody reading is no failure", async () => {
	let calls = 0;
	await printReply("text", () => {
		calls++;
		throw Object.assign(new Error("gone"), { code: "EPIPE" });
	});
	assert.equal(calls, 1);
});
