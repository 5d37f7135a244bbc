import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ToolServer } from "../../engine/engine.ts";
import type { Log } from "../../engine/log.ts";
import { messageOf } from "../../engine/thrown.ts";
import type { ProcessIdentity, ProcessTable } from "../process/process-table.ts";
import { DoorMemory } from "./door-memory.ts";
import { chooseDoors, type Door, isDoor } from "./doors.ts";
import { folderFiles, writePrivateFolder } from "./files.ts";

export interface RegistrarOptions {
	/** Where this extension keeps its files. */
	readonly root: string;
	readonly table: ProcessTable;
	readonly owner: ProcessIdentity;
	readonly log: Log;
}

export interface Registration {
	/** Folders to be named with `--add-dir`. */
	readonly directories: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	/** Call when agy is gone: nothing of the registration is left then. Never rejects. */
	release(): Promise<void>;
}

export interface RegistrationRequest {
	readonly server: ToolServer;
	/** agy's version. */
	readonly version: string;
	/** agy's shared MCP file, where the user allows an entry in it. */
	readonly globalFile: string | undefined;
	/** Whether agy has got as far as answering, so that it would have connected if it had seen the server. */
	readonly agyWorked: () => boolean;
}

/** A registration of which it is not known yet what came of it. */
interface OpenRegistration extends RegistrationRequest {
	readonly doors: readonly Door[];
}

/** Leads agy to a tool server, through the door that this version of agy takes, as far as that is known. */
export class ToolServerRegistrar {
	readonly #options: RegistrarOptions;
	readonly #memory: DoorMemory;
	readonly #open = new Set<OpenRegistration>();

	constructor(options: RegistrarOptions) {
		this.#options = options;
		this.#memory = new DoorMemory(join(options.root, "tool-doors.json"));
	}

	/** Takes away what pi processes that died have left in agy's shared file. Never rejects. */
	async cleanUp(): Promise<void> {
		if (!existsSync(this.#notes)) return;
		const { table, log } = this.#options;
		const { removeDeadEntries } = await loadGlobalEntry();
		const removed = await removeDeadEntries(this.#notes, table);
		if (removed > 0) log.info("tools.dead-entries", { removed });
	}

	/** Never rejects: a door that cannot be opened counts as one that agy did not take. */
	async register(request: RegistrationRequest): Promise<Registration> {
		const { server, version, globalFile } = request;
		// The last turn's agy may still be on its way out; what is known of it counts already.
		for (const open of this.#open) await this.#learnFrom(open);
		const known = await this.#memory.known(version);
		const failed = this.#memory.failed(version);
		const doors = chooseDoors({ known, failed, globalAllowed: globalFile !== undefined });
		const opened = await this.#openDoors(server, doors, globalFile);
		this.#options.log.info("tools.offered", { agy: version, doors });
		const open = { ...request, doors };
		this.#open.add(open);
		return {
			directories: opened.directories,
			env: opened.env,
			release: async () => {
				await opened.close();
				await this.#learnFrom(open);
				this.#open.delete(open);
				this.#options.log.info("tools.reached", { agy: version, door: server.reached });
			},
		};
	}

	async #learnFrom({ server, version, doors, agyWorked }: OpenRegistration): Promise<void> {
		const { reached } = server;
		if (reached !== undefined && isDoor(reached)) await this.#memory.noteSuccess(version, reached);
		else if (agyWorked()) this.#memory.noteFailure(version, doors);
	}

	async #openDoors(server: ToolServer, doors: readonly Door[], globalFile: string | undefined): Promise<OpenDoors> {
		try {
			if (globalFile !== undefined && doors.includes("global-entry")) {
				const { owner } = this.#options;
				const { addGlobalEntry } = await loadGlobalEntry();
				const entry = await addGlobalEntry(server, { file: globalFile, notes: this.#notes, owner });
				return { directories: [], env: entry.env, close: () => entry.remove() };
			}
			const files = folderFiles(server, doors);
			if (files.length === 0) return NO_DOORS;
			const folder = await writePrivateFolder(files);
			return { directories: [folder.directory], env: {}, close: () => folder.remove() };
		} catch (error) {
			this.#options.log.info("tools.not-offered", { cause: messageOf(error) });
			return NO_DOORS;
		}
	}

	get #notes(): string {
		return join(this.#options.root, "tool-entries");
	}
}

/** Few users need it, and what it takes to edit agy's file is loaded with it. */
function loadGlobalEntry() {
	return import("./global-entry.ts");
}

interface OpenDoors {
	readonly directories: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	readonly close: () => Promise<void>;
}

const NO_DOORS: OpenDoors = { directories: [], env: {}, close: async () => {} };
