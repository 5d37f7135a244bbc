import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemProcesses } from "../../src/run/process/process-table.ts";
import type { Cleanup } from "./cleanup.ts";
import { PATIENCE_MS } from "./patience.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** pi's command line, run under the Node that runs the tests: the system's may be too old for pi. */
export const PI_CLI = join(ROOT, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");

/** A pi of its own: settings, sessions, home and working directory in one folder that is removed after the test. */
export interface PiHome {
	readonly dir: string;
	readonly cwd: string;
	readonly agentDir: string;
	readonly env: Readonly<Record<string, string>>;
	/** Ends what was started in this home. Called before the folder goes: hooks of a test run in the order they were added. */
	readonly closers: (() => Promise<unknown>)[];
}

/**
 * `env` is added last; `settings` is pi's own settings file. It is a home as after `/login antigravity`, without which pi
 * 1.6.0 does not see our models at some of its starts.
 */
export function piHome(
	t: Cleanup,
	options: { env?: Record<string, string>; settings?: object; cwd?: string } = {},
): PiHome {
	const dir = mkdtempSync(join(tmpdir(), "pi-home-"));
	const closers: PiHome["closers"] = [];
	t.after(async () => {
		await Promise.all(closers.map((close) => close()));
		rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
	});
	const cwd = options.cwd ?? join(dir, "work");
	const agentDir = join(dir, "agent");
	mkdirSync(cwd, { recursive: true });
	mkdirSync(agentDir, { recursive: true });
	writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ quietStartup: true, ...options.settings }));
	writeFileSync(join(agentDir, "auth.json"), '{"antigravity":{"type":"api_key"}}', { mode: 0o600 });
	const env = {
		PATH: process.env.PATH ?? "",
		HOME: dir,
		TERM: "xterm-256color",
		LANG: "C.UTF-8",
		PI_CODING_AGENT_DIR: agentDir,
		PI_OFFLINE: "1",
		PI_SKIP_VERSION_CHECK: "1",
		PI_TELEMETRY: "0",
		...options.env,
	};
	return { dir, cwd, agentDir, env, closers };
}

export interface Finished {
	readonly stdout: string;
	readonly stderr: string;
	readonly code: number;
}

/** Arguments that load only `extensions`, and nothing of the machine's. */
export function only(...extensions: string[]): string[] {
	return ["-ne", "-nc", ...extensions.flatMap((path) => ["-e", path])];
}

/** Runs pi to its end with stdin closed. */
export function runPi(home: PiHome, args: readonly string[]): Promise<Finished> {
	return new Promise((resolve) => {
		const options = { cwd: home.cwd, env: home.env, timeout: PATIENCE_MS, maxBuffer: 64 * 1024 * 1024 };
		const child = execFile(process.execPath, [PI_CLI, ...args], options, (error, stdout, stderr) => {
			resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) });
		});
		child.stdin?.end();
	});
}

/** A line of pi's JSON output. Tests look at the fields they are about. */
export type PiEvent = { readonly type: string; readonly [field: string]: unknown };

export function parseEvents(stdout: string): PiEvent[] {
	return stdout
		.split("\n")
		.filter((line) => line !== "")
		.map((line): PiEvent => JSON.parse(line));
}

/** A pi in RPC mode. */
export class PiRpc {
	readonly events: PiEvent[] = [];
	readonly #child: ChildProcessWithoutNullStreams;
	readonly #exited: Promise<number | null>;
	#rest = "";
	#stderr = "";
	#nextId = 1;
	#listeners = new Set<() => void>();

	constructor(home: PiHome, args: readonly string[]) {
		this.#child = spawn(process.execPath, [PI_CLI, "--mode", "rpc", ...args], { cwd: home.cwd, env: home.env });
		this.#exited = new Promise((resolve) => this.#child.once("exit", resolve));
		this.#child.stdout.setEncoding("utf8").on("data", (chunk: string) => this.#read(chunk));
		this.#child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
			this.#stderr += chunk;
		});
		home.closers.push(() => {
			this.#child.kill("SIGKILL");
			return this.#exited;
		});
	}

	/** pi's process number. */
	get pid(): number {
		return this.#child.pid ?? 0;
	}

	/** Resolves with pi's exit code; null when a signal ended it. */
	get exited(): Promise<number | null> {
		return this.#exited;
	}

	/** Sends pi a signal. */
	signal(signal: NodeJS.Signals): void {
		this.#child.kill(signal);
	}

	/** Sends a command and gives its response's `data`; fails when pi refuses it. */
	async request(command: {
		readonly type: string;
		readonly [field: string]: unknown;
	}): Promise<Record<string, unknown>> {
		const id = `r${this.#nextId++}`;
		this.#child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
		const response = await this.next((event) => event.type === "response" && event.id === id, 0);
		if (response.success !== true) throw new Error(`pi refused ${command.type}: ${JSON.stringify(response)}`);
		return (response.data ?? {}) as Record<string, unknown>;
	}

	/** Sends a prompt and waits until pi has nothing more to do. Gives the events of that turn. */
	async prompt(message: string): Promise<PiEvent[]> {
		const from = this.events.length;
		await this.request({ type: "prompt", message });
		await this.next((event) => event.type === "agent_settled", from);
		return this.events.slice(from);
	}

	/** The first event from position `from` on that matches, now or later. */
	next(matches: (event: PiEvent) => boolean, from: number): Promise<PiEvent> {
		return new Promise((resolve, reject) => {
			let position = from;
			const timer = setTimeout(() => {
				this.#listeners.delete(look);
				const last = this.events.slice(-5).map((event) => JSON.stringify(event).slice(0, 1_000));
				reject(new Error(`pi did not send what was awaited. Last: ${last.join("\n")}\n${this.#stderr}`));
			}, PATIENCE_MS).unref();
			const look = () => {
				for (; position < this.events.length; position++) {
					const event = this.events[position];
					if (event === undefined || !matches(event)) continue;
					clearTimeout(timer);
					this.#listeners.delete(look);
					resolve(event);
					return;
				}
			};
			this.#listeners.add(look);
			look();
		});
	}

	/** Closes stdin, which ends pi in an orderly way. Gives its exit code. */
	close(): Promise<number | null> {
		this.#child.stdin.end();
		return this.#exited;
	}

	#read(chunk: string): void {
		const lines = (this.#rest + chunk).split("\n");
		this.#rest = lines.pop() ?? "";
		for (const line of lines) if (line !== "") this.events.push(JSON.parse(line));
		for (const listener of [...this.#listeners]) listener();
	}
}

/** Why a test with the real screen is skipped, or false. */
export async function skipWithoutTmux(): Promise<string | false> {
	const found = await tmux(["-V"]).then(
		() => true,
		() => false,
	);
	return found ? false : "tmux is not installed";
}

/** pi's real interface, in a terminal of tmux. */
export class PiScreen {
	readonly #socket: string;

	private constructor(socket: string) {
		this.#socket = socket;
	}

	/** Opens a terminal and starts pi in it. Resolves when pi takes input: earlier it refuses lines. */
	static async open(
		home: PiHome,
		args: readonly string[],
		size: { columns: number; rows: number } = { columns: 110, rows: 40 },
	): Promise<PiScreen> {
		const socket = join(home.dir, "tmux");
		const screen = new PiScreen(socket);
		let pid: number | undefined;
		home.closers.push(async () => {
			await tmux(["-S", socket, "kill-server"]).catch(() => {});
			// pi goes in an orderly way, and writes meanwhile.
			if (pid !== undefined) await isGone(pid);
		});
		const variables = Object.entries(home.env).map(([name, value]) => `${name}=${value}`);
		const command = ["exec", "env", "-i", ...variables, process.execPath, PI_CLI, ...args].map(quote).join(" ");
		const { columns, rows } = size;
		const session = ["new-session", "-d", "-s", "pi", "-c", home.cwd, "-x", `${columns}`, "-y", `${rows}`];
		await tmux(["-S", socket, "-f", "/dev/null", ...session, command]);
		const ask = (what: string) => tmux(["-S", socket, "display-message", "-p", "-t", "pi", `#{${what}}`]);
		pid = Number(await ask("pane_pid"));
		// The last that pi does before it is ready is to name its terminal.
		const failure = async () => `pi was never ready:\n${await screen.text()}`;
		await comes(async () => (await ask("pane_title")).trim().endsWith(` - ${basename(home.cwd)}`), failure);
		return screen;
	}

	/** Closes the terminal, which hangs up on pi. */
	async close(): Promise<void> {
		await tmux(["-S", this.#socket, "kill-server"]);
	}

	/** What is on the screen, without colours unless asked for. */
	async text(options: { colours?: boolean } = {}): Promise<string> {
		return tmux(["-S", this.#socket, "capture-pane", "-p", ...(options.colours ? ["-e"] : []), "-t", "pi"]);
	}

	/** Waits until the screen shows `pattern`; fails with the screen when it does not come. */
	async shows(pattern: RegExp): Promise<string> {
		let text = "";
		const matches = async () => {
			text = await this.text();
			return pattern.test(text);
		};
		await comes(matches, async () => `The screen never showed ${pattern}:\n${text}`);
		return text;
	}

	/** Submits a line. It is pasted: completions open a moment after what is typed, and would take Enter for themselves. */
	async submit(line: string): Promise<void> {
		await tmux(["-S", this.#socket, "set-buffer", "--", line]);
		await tmux(["-S", this.#socket, "paste-buffer", "-p", "-d", "-t", "pi"]);
		await this.press("Enter");
	}

	/** Types letters, one after the other, so that completions open. */
	async type(text: string): Promise<void> {
		await tmux(["-S", this.#socket, "send-keys", "-t", "pi", "-l", text]);
	}

	/** A key in tmux's words: `Enter`, `Escape`, `C-o`. */
	async press(key: string): Promise<void> {
		await tmux(["-S", this.#socket, "send-keys", "-t", "pi", key]);
	}
}

/** Looks until it is so. */
async function comes(about: () => Promise<boolean>, failure: () => Promise<string>): Promise<void> {
	const end = Date.now() + PATIENCE_MS;
	while (!(await about())) {
		if (Date.now() > end) throw new Error(await failure());
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

/** A zombie that nobody reaps counts as gone. */
function isGone(pid: number): Promise<void> {
	const processes = systemProcesses();
	return comes(
		async () => (await processes.startTime(pid)) === undefined,
		async () => `process ${pid} outlived its terminal`,
	);
}

function tmux(args: readonly string[]): Promise<string> {
	return new Promise((resolve, reject) => {
		execFile("tmux", [...args], (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
	});
}

function quote(word: string): string {
	return `'${word.replaceAll("'", "'\\''")}'`;
}
