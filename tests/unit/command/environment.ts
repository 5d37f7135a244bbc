import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { BoundConversation, CommandEnvironment } from "../../../src/command/environment.ts";
import { createSettingsSource } from "../../../src/config/settings-source.ts";
import { silentLog } from "../../../src/engine/log.ts";
import { createCatalogue, type LocateAgy } from "../../../src/models/catalogue.ts";
import { createQuotaReader } from "../../../src/quota/quota-reader.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { stubAgy } from "../models/stub-agy.ts";

export const NOW = Date.UTC(2026, 10, 20, 12);

/** A session without a conversation on a machine with agy 1.3.3, in an empty home. `agy` is the body of its shell script. */
export function commandEnvironment(
	t: Pick<TestContext, "after">,
	options: { agy?: string; variables?: NodeJS.ProcessEnv } & Partial<CommandEnvironment> = {},
): CommandEnvironment & { readonly home: string; readonly clock: FakeClock } {
	const home = temporaryFolder(t);
	const { agy: body = "printf 'claude-sonnet-4-6\\tClaude Sonnet 4.6\\n'", variables = {}, ...overrides } = options;
	const clock = new FakeClock(NOW);
	const dataDirectory = join(home, "antigravity");
	const command = stubAgy(t, body);
	const locateAgy: LocateAgy = async () => ({ ok: true, command, version: "1.3.3" });
	const cwd = join(home, "work");
	mkdirSync(cwd);
	return {
		settings: createSettingsSource(join(dataDirectory, "config.json"), variables),
		catalogue: createCatalogue({ cachePath: join(dataDirectory, "models.json"), locateAgy, clock, log: silentLog }),
		publishModels: async () => {},
		quota: createQuotaReader(locateAgy, clock),
		conversation: memoryConversation(),
		probes: {
			agy: async () => ({ found: true, path: command.path, version: "1.3.3" }),
			cwd,
			env: variables,
			geminiDir: join(home, ".gemini"),
			decoding: async () => ({ kind: "none" }),
			fileEvents: async () => "events",
			conflicts: () => [],
		},
		logPath: () => join(dataDirectory, "logs", "agy-2026-11-20.log"),
		dataDirectory,
		piVersion: "1.6.0",
		engineName: "agy -p",
		lastTurn: () => undefined,
		...overrides,
		clock,
		home,
	};
}

/** Knows one conversation, `known`, in which nothing was said. */
function memoryConversation(): CommandEnvironment["conversation"] {
	let current: BoundConversation | undefined;
	return {
		current: async () => current,
		hasHistory: () => false,
		async startNew() {
			const left = current?.id;
			current = undefined;
			return left === undefined ? { ok: true } : { ok: true, left };
		},
		async use(id) {
			if (id !== "known") return { ok: false, problem: `There is no conversation ${id} here.` };
			current = { id, path: join(homedir(), `conversations/${id}.db`) };
			return { ok: true };
		},
		async clear() {
			const forgotten = current === undefined ? 0 : 1;
			current = undefined;
			return { ok: true, forgotten };
		},
		recent: async () => [{ id: "known", writtenAt: NOW - 60_000 }],
	};
}
