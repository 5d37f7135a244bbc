import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PATIENCE_MS } from "../patience.ts";
import { only, type PiHome, piHome } from "../pi.ts";
import { FAKE_AGY, type InvocationRecord, type Scenario } from "../scenario.ts";

const OURS = fileURLToPath(new URL("../../../extensions/index.ts", import.meta.url));
const TOOLS = fileURLToPath(new URL("./tools.ts", import.meta.url));

/** A line of the stand-in's MCP log. */
export interface McpNote {
	readonly server?: string;
	readonly tools?: readonly { readonly name: string; readonly inputSchema: object }[];
	readonly called?: string;
	readonly args?: object;
	readonly result?: {
		readonly content: readonly { readonly type: string; readonly text?: string; readonly mimeType?: string }[];
		readonly isError?: boolean;
		readonly structuredContent?: object;
	};
	readonly progress?: object;
	readonly failed?: string;
}

export interface BridgedPi {
	readonly home: PiHome;
	/** Arguments that load our extension and the tools, and choose our model. */
	args(...more: string[]): string[];
	/** What agy saw of pi's tools, one entry for each thing. */
	mcp(): McpNote[];
	/** What agy was told about its calls, in the order of the answers. */
	answers(): string[];
	/** How agy was called for each turn. */
	turns(): { readonly argv: readonly string[]; readonly prompt: string }[];
	/** The tools that really ran. */
	ran(): string[];
	file(name: string): string;
	/** Plays another scenario from the next invocation of agy on. */
	play(scenario: Scenario): void;
	/** agy's MCP file that all its processes read. */
	readonly sharedFile: string;
	/** Where our extension remembers which registration worked. */
	readonly registrations: string;
	/** Resolves when the tools' log holds this line. */
	until(line: string): Promise<void>;
}

/** The real extension in a real pi, with tools of another extension, and the stand-in for agy playing `scenario`. */
export function bridgedPi(
	t: Pick<TestContext, "after">,
	scenario: Scenario,
	options: { env?: Record<string, string>; settings?: object } = {},
): BridgedPi {
	const home = piHome(t);
	const file = (name: string) => join(home.dir, name);
	writeFileSync(file("scenario.json"), JSON.stringify(scenario));
	mkdirSync(join(home.agentDir, "antigravity"), { recursive: true });
	writeFileSync(join(home.agentDir, "antigravity", "config.json"), JSON.stringify({ ...options.settings }));
	const env = {
		...home.env,
		AGY_BIN: FAKE_AGY,
		FAKE_AGY_NODE: process.execPath,
		FAKE_AGY_SCENARIO: file("scenario.json"),
		FAKE_AGY_RECORD: file("record.jsonl"),
		FAKE_AGY_MCP_LOG: file("mcp.jsonl"),
		TOOLS_LOG: file("tools.log"),
		...options.env,
	};
	const mcp = () => lines(file("mcp.jsonl")).map((line): McpNote => JSON.parse(line));
	const ran = () => lines(file("tools.log"));
	return {
		home: { ...home, env },
		args: (...more) => [...only(TOOLS, OURS), "--model", "antigravity/gemini-3.8-flash", ...more],
		mcp,
		answers: () =>
			mcp().flatMap(({ called, result }) =>
				called === undefined ? [] : [result?.content.map((part) => part.text ?? `[${part.type}]`).join("\n") ?? ""],
			),
		turns: () =>
			lines(file("record.jsonl")).flatMap((line) => {
				const { argv, prompt }: InvocationRecord = JSON.parse(line);
				return prompt === null ? [] : [{ argv, prompt }];
			}),
		ran,
		file,
		play: (next) => writeFileSync(file("scenario.json"), JSON.stringify(next)),
		sharedFile: join(home.dir, ".gemini", "config", "mcp_config.json"),
		registrations: join(home.agentDir, "antigravity", "mcp-registrations.json"),
		async until(line) {
			const end = Date.now() + PATIENCE_MS;
			while (!ran().includes(line)) {
				if (Date.now() > end) throw new Error(`"${line}" never came: ${ran().join(", ")}`);
				await sleep(10);
			}
		},
	};
}

function lines(path: string): string[] {
	if (!existsSync(path)) return [];
	return readFileSync(path, "utf8")
		.split("\n")
		.filter((line) => line !== "");
}
