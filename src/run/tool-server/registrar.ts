import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ToolServer } from "../../engine/engine.ts";
import type { Log } from "../../engine/log.ts";
import { messageOf } from "../../engine/thrown.ts";
import type { ProcessIdentity, ProcessTable } from "../process/process-table.ts";
import { RegistrationMemory } from "./registration-memory.ts";
import { chooseRegistrations, isMcpRegistration, type McpRegistration } from "./registrations.ts";
import { workspaceFiles, writePrivateFolder } from "./workspace-config.ts";

export interface RegistrarOptions {
	/** Where this extension keeps its files. */
	readonly root: string;
	readonly table: ProcessTable;
	readonly owner: ProcessIdentity;
	readonly log: Log;
}

/** What one agy has to be started with to find the server. */
export interface RegisteredServer {
	/** Folders to be named with `--add-dir`. */
	readonly directories: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	/** Call when agy is gone: takes the registrations away. Never rejects. */
	release(): Promise<void>;
}

export interface RegisterRequest {
	readonly server: ToolServer;
	/** agy's version. */
	readonly version: string;
	/** agy's shared MCP file, where the user allows an entry in it. */
	readonly globalFile: string | undefined;
	/** Whether agy has got as far as answering, so that it would have connected if it had seen the server. */
	readonly agyWorked: () => boolean;
}

/** A run of which it is not known yet whether its agy connects. */
interface Pending extends RegisterRequest {
	readonly registrations: readonly McpRegistration[];
}

/** Names a tool server in agy's MCP configuration, where this version of agy reads it, as far as that is known. */
export class ToolServerRegistrar {
	readonly #options: RegistrarOptions;
	readonly #memory: RegistrationMemory;
	readonly #pending = new Set<Pending>();

	constructor(options: RegistrarOptions) {
		this.#options = options;
		this.#memory = new RegistrationMemory(join(options.root, "mcp-registrations.json"));
	}

	/** Takes away what pi processes that died have left in agy's shared file. Never rejects. */
	async cleanUp(): Promise<void> {
		if (!existsSync(this.#notes)) return;
		const { table, log } = this.#options;
		const { removeDeadEntries } = await loadGlobalEntry();
		const removed = await removeDeadEntries(this.#notes, table);
		if (removed > 0) log.info("mcp.dead-entries", { removed });
	}

	/** Never rejects: a registration that cannot be written counts as one by which agy did not connect. */
	async register(request: RegisterRequest): Promise<RegisteredServer> {
		const { server, version, globalFile } = request;
		// The last turn's agy may still be on its way out; what is known of it counts already.
		for (const pending of this.#pending) await this.#learnFrom(pending);
		const known = await this.#memory.known(version);
		const failed = this.#memory.failed(version);
		const registrations = chooseRegistrations({ known, failed, globalAllowed: globalFile !== undefined });
		const { directories, env, remove } = await this.#write(server, registrations, globalFile);
		this.#options.log.info("mcp.registered", { agy: version, registrations });
		const pending = { ...request, registrations };
		this.#pending.add(pending);
		return {
			directories,
			env,
			release: async () => {
				await remove();
				await this.#learnFrom(pending);
				this.#pending.delete(pending);
				this.#options.log.info("mcp.released", { agy: version, connectedBy: server.connectedBy });
			},
		};
	}

	async #learnFrom({ server, version, registrations, agyWorked }: Pending): Promise<void> {
		const { connectedBy } = server;
		if (connectedBy !== undefined && isMcpRegistration(connectedBy)) {
			await this.#memory.noteSuccess(version, connectedBy);
		} else if (agyWorked()) {
			this.#memory.noteFailure(version, registrations);
		}
	}

	async #write(
		server: ToolServer,
		registrations: readonly McpRegistration[],
		globalFile: string | undefined,
	): Promise<Written> {
		try {
			if (globalFile !== undefined && registrations.includes("global-entry")) {
				const { owner } = this.#options;
				const { addGlobalEntry } = await loadGlobalEntry();
				const entry = await addGlobalEntry(server, { file: globalFile, notes: this.#notes, owner });
				return { directories: [], env: entry.env, remove: () => entry.remove() };
			}
			const files = workspaceFiles(server, registrations);
			if (files.length === 0) return NOTHING;
			const folder = await writePrivateFolder(files);
			return { directories: [folder.directory], env: {}, remove: () => folder.remove() };
		} catch (error) {
			this.#options.log.info("mcp.not-registered", { cause: messageOf(error) });
			return NOTHING;
		}
	}

	get #notes(): string {
		return join(this.#options.root, "mcp-entries");
	}
}

/** Few users need it, and what it takes to edit agy's file is loaded with it. */
function loadGlobalEntry() {
	return import("./global-entry.ts");
}

interface Written extends Omit<RegisteredServer, "release"> {
	remove(): Promise<void>;
}

const NOTHING: Written = { directories: [], env: {}, remove: async () => {} };
