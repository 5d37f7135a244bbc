import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../engine/clock.ts";
import type { ProcessIdentity } from "./process-table.ts";

export interface GuardianOptions {
	/** The beginning of the marker of all runs of this pi, see `ownerPrefix`. */
	readonly ownerPrefix: string;
	readonly clock: Clock;
	readonly platform?: NodeJS.Platform;
}

/** How long a guardian stays when there is nothing to watch, in milliseconds: the next run often begins soon. */
const IDLE_MS = 10_000;

/**
 * A small process beside pi that ends pi's agy processes when pi dies without being able to: kill -9, a crash, a lost
 * terminal. It blocks on a pipe that ends with pi, so an idle one costs nothing. It is started with a run, and goes
 * home a while after the last one: each session of pi has an engine of its own, and with it a guardian.
 */
export class Guardian {
	readonly #options: GuardianOptions;
	readonly #watched = new Map<number, ProcessIdentity>();
	#child: ChildProcess | undefined;
	#cancelGoingHome = () => {};

	constructor(options: GuardianOptions) {
		this.#options = options;
	}

	/** The guardian's process number while it lives. */
	get pid(): number | undefined {
		return this.#child?.pid;
	}

	/** From now on this group is ended when pi dies; until the returned function is called. Never throws. */
	watch(leader: ProcessIdentity): () => void {
		this.#cancelGoingHome();
		this.#watched.set(leader.pid, leader);
		if (this.#child === undefined) this.#start();
		else this.#tell(addition(leader));
		return () => {
			if (this.#watched.get(leader.pid) !== leader) return;
			this.#watched.delete(leader.pid);
			this.#tell(`- ${leader.pid}\n`);
			if (this.#watched.size === 0) this.#cancelGoingHome = this.#options.clock.after(IDLE_MS, () => this.#goHome());
		};
	}

	#goHome(): void {
		this.#child?.stdin?.end();
		this.#child = undefined;
	}

	#start(): void {
		const child = startGuardian(this.#options);
		if (child === undefined) return;
		this.#child = child;
		const forget = () => {
			if (this.#child === child) this.#child = undefined;
		};
		child.on("error", forget);
		child.on("exit", forget);
		child.stdin?.on("error", forget);
		// Neither the process nor its pipe may keep pi from exiting.
		child.unref();
		if (child.stdin !== null && "unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
		for (const leader of this.#watched.values()) this.#tell(addition(leader));
	}

	#tell(line: string): void {
		if (this.#child?.stdin?.writable) this.#child.stdin.write(line);
	}
}

function addition({ pid, startTime }: ProcessIdentity): string {
	// The scripts compare with what the platform itself says; the mark of the boot and namespace is ours.
	return `+ ${pid} ${startTime.slice(startTime.lastIndexOf(".") + 1) || "-"}\n`;
}

function startGuardian({ ownerPrefix, platform = process.platform }: GuardianOptions): ChildProcess | undefined {
	const options: SpawnOptions = { stdio: ["pipe", "ignore", "ignore"], detached: true, windowsHide: true };
	try {
		// A shell, since a second Node would cost tens of megabytes, and pi may be a single binary that is no interpreter.
		if (platform !== "win32") return spawn("/bin/sh", [script("guardian.sh"), ownerPrefix], options);
		const isNode = /^(node|bun)(\.exe)?$/i.test(basename(process.execPath));
		return spawn(isNode ? process.execPath : "node", [script("guardian.mjs")], options);
	} catch {
		// Nothing else fails with it: a run without a guardian only lacks its last safety net.
		return undefined;
	}
}

function script(name: string): string {
	return fileURLToPath(new URL(name, import.meta.url));
}
