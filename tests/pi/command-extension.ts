import { join } from "node:path";
import { type ExtensionAPI, type ExtensionContext, VERSION } from "@earendil-works/pi-coding-agent";
import type { CommandEnvironment } from "../../src/command/environment.ts";
import { askPermissionsOnce } from "../../src/command/permission-question.ts";
import { registerAgyCommand } from "../../src/command/register.ts";
import { dataPaths } from "../../src/config/paths.ts";
import { createSettingsSource } from "../../src/config/settings-source.ts";
import { systemClock } from "../../src/engine/clock.ts";
import { createFileLog } from "../../src/log/file-log.ts";
import { createCatalogue, type LocateAgy } from "../../src/models/catalogue.ts";
import { PROVIDER_ID } from "../../src/models/catalogue-model.ts";
import { refreshModels } from "../../src/models/refresh.ts";
import { createQuotaReader } from "../../src/quota/quota-reader.ts";

/** The models, the settings, the log and `/agy` in real pi, without turns: each prompt ends at once with an error. */
export default function commandExtension(pi: ExtensionAPI): void {
	const paths = dataPaths();
	const settings = createSettingsSource(paths.settings, process.env);
	const log = createFileLog({ directory: paths.logs, level: () => settings.current().logLevel, clock: systemClock });
	const version = process.env.FAKE_AGY_VERSION ?? "1.3.3";
	const locateAgy: LocateAgy = async () => {
		const path = settings.current().agyPath;
		if (path === undefined) return { ok: false, failure: { kind: "not-installed", searched: ["agy"] } };
		return { ok: true, command: { path, env: process.env }, version };
	};
	const catalogue = createCatalogue({ cachePath: paths.models, locateAgy, clock: systemClock, log });
	let ctx: ExtensionContext | undefined;

	pi.registerProvider({
		id: PROVIDER_ID,
		name: "Antigravity",
		auth: { apiKey: { name: "agy", resolve: async () => ({ auth: {}, source: "agy" }) } },
		getModels: () => catalogue.models(),
		refreshModels: (context) => refreshModels(catalogue, context),
		stream: noTurn,
		streamSimple: noTurn,
	});

	const environment: CommandEnvironment = {
		settings,
		catalogue,
		async publishModels() {
			await ctx?.modelRegistry.refresh({ allowNetwork: false, providers: [PROVIDER_ID] });
		},
		quota: createQuotaReader(locateAgy, systemClock),
		conversation: {
			current: () => undefined,
			startNew: async () => {},
			use: async (id) => ({ ok: false, problem: `There is no conversation ${id}.` }),
			clear: async () => false,
			recent: () => [],
		},
		probes: {
			async agy() {
				const path = settings.current().agyPath;
				return path === undefined ? { found: false, searched: ["agy"] } : { found: true, path, version };
			},
			cwd: process.cwd(),
			env: process.env,
			geminiDir: join(process.env.HOME ?? "", ".gemini"),
			conversationsDir: join(process.env.HOME ?? "", ".gemini", "antigravity-cli", "conversations"),
			decoding: async () => ({ kind: "none" }),
			fileEvents: async () => "events",
			conflicts: () => [],
		},
		clock: systemClock,
		logPath: () => log.path(),
		dataDirectory: paths.root,
		piVersion: VERSION,
		engineName: "none",
		lastTurn: () => undefined,
	};
	registerAgyCommand(pi, () => environment);
	pi.on("session_start", (_event, started) => {
		ctx = started;
	});
	pi.on("before_agent_start", (_event, started) => askPermissionsOnce(started, settings));
	pi.on("session_shutdown", async () => {
		catalogue.close();
		await log.flush();
	});
}

function noTurn(): never {
	throw new Error("There are no turns here.");
}
