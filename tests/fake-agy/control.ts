import { spawn } from "node:child_process";
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Conversation } from "./conversation.ts";
import { ConversationDatabase } from "./database.ts";
import { passTime } from "./own-time.ts";
import type { ControlStep } from "./scenario.ts";
import type { Stdout } from "./stdout.ts";
import { LateStore } from "./store.ts";

/** What control steps work on; before the turn there is no conversation yet. */
export interface ControlContext {
	stdout: Stdout;
	conversation?: Conversation;
	exit(code: number): never;
}

/** Plays a step that moves no row. */
export async function control(step: ControlStep, context: ControlContext): Promise<void> {
	if ("pause" in step) {
		await sleep(step.pause);
		return passTime(step.pause);
	}
	if ("waitFor" in step) return waitForFile(step.waitFor);
	if ("touch" in step) return writeFileSync(step.touch, "");
	if ("stdout" in step) return context.stdout.raw(step.stdout);
	if ("stderr" in step) return writeStderr(step.stderr);
	if ("exit" in step) context.exit(step.exit);
	if ("kill" in step) {
		process.kill(process.pid, step.kill);
		// However long the signal takes, nothing is played after it.
		return hang();
	}
	if ("hang" in step) return hang();
	if ("grandchild" in step) return leaveGrandchild(step.grandchild);
	if ("retryForever" in step) return retryForever(step.retryForever);
	if (context.conversation === undefined) throw new Error(`no conversation yet for ${JSON.stringify(step)}`);
	return databaseFault(step, context.conversation);
}

/** Goes on when `file` exists, and shows by `<file>.waiting` that it waits. */
async function waitForFile(file: string): Promise<void> {
	writeFileSync(`${file}.waiting`, String(process.pid));
	while (!existsSync(file)) await sleep(3);
}

async function hang(): Promise<never> {
	for (;;) await sleep(60_000);
}

async function writeStderr(what: string | { megabytes: number }): Promise<void> {
	if (typeof what === "string") {
		process.stderr.write(what);
		return;
	}
	const megabyte = `${"agy has a lot to say about nothing. ".repeat(29_128).slice(0, 1_048_575)}\n`;
	for (let i = 0; i < what.megabytes; i++) {
		if (!process.stderr.write(megabyte)) await new Promise((resolve) => process.stderr.once("drain", resolve));
	}
}

function leaveGrandchild(spec: { seconds: number; holdStdout?: boolean; ownGroup?: boolean; pidFile?: string }): void {
	const child = spawn("sleep", [String(spec.seconds)], {
		detached: spec.ownGroup ?? false,
		stdio: ["ignore", spec.holdStdout ? "inherit" : "ignore", "ignore"],
	});
	child.unref();
	if (spec.pidFile !== undefined) writeFileSync(spec.pidFile, String(child.pid));
}

async function retryForever(spec: { message: string; everyMs?: number }): Promise<never> {
	for (let attempt = 1; ; attempt++) {
		process.stderr.write(`API error (attempt ${attempt}): RESOURCE_EXHAUSTED (code 429): ${spec.message}\n`);
		await sleep(spec.everyMs ?? 100);
	}
}

type DatabaseFault = Extract<
	ControlStep,
	{ createDatabase: true } | { deleteDatabase: true } | { replaceDatabase: true } | { dieMidTransaction: true }
>;

function databaseFault(step: DatabaseFault, conversation: Conversation): void {
	const { store } = conversation;
	if ("createDatabase" in step) {
		if (store instanceof LateStore) store.open();
		return;
	}
	const file = store.file;
	if (file === undefined) throw new Error("there is no database to harm");
	if ("deleteDatabase" in step) {
		for (const ending of ["", "-wal", "-shm"]) rmSync(`${file}${ending}`, { force: true });
	} else if ("replaceDatabase" in step) {
		store.exec("PRAGMA wal_checkpoint(TRUNCATE)");
		copyFileSync(file, `${file}.new`);
		for (const ending of ["-wal", "-shm"]) rmSync(`${file}${ending}`, { force: true });
		renameSync(`${file}.new`, file);
		// No agy does this to itself, so no reader can be blamed for being in the way of it.
		conversation.store = new ConversationDatabase(file, { ...conversation.options, busyTimeout: 10_000 });
	} else {
		// A cache this small spills uncommitted pages into the WAL.
		store.exec("PRAGMA cache_size = 4; BEGIN; UPDATE steps SET step_payload = randomblob(200000)");
		process.kill(process.pid, "SIGKILL");
	}
}

export function sleep(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}
