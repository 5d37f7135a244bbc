import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ToolServer } from "../../engine/engine.ts";
import type { Log } from "../../engine/log.ts";
import type { ProcessIdentity, ProcessTable } from "../process-table.ts";
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
	/**
	 * Call when agy is gone: nothing of the registration is left then, and what was learnt is remembered. `agyWorked`: it got as
	 * far as answering, so that it would have connected if it had seen the server. Never rejects.
	 */
	release(agyWorked: boolean): Promise<void>;
}

/** Leads agy to a tool server, through the door that this version of agy takes, as far as that is known. */
export class ToolServerRegistrar {
	readonly #options: RegistrarOptions;
	readonly #memory: DoorMemory;

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

	/**
	 * `version` is agy's, `globalFile` its shared MCP file, where the user allows an entry in it. Never rejects: a door that
	 * cannot be opened counts as one that agy did not take.
	 */
	async register(server: ToolServer, version: string, globalFile: string | undefined): Promise<Registration> {
		const choice = {
			known: await this.#memory.known(version),
			failed: this.#memory.failed(version),
			globalAllowed: globalFile !== undefined,
		};
		const doors = chooseDoors(choice);
		const opened = await this.#open(server, doors, globalFile);
		this.#options.log.info("tools.offered", { agy: version, doors });
		return {
			directories: opened.directories,
			env: opened.env,
			release: async (agyWorked) => {
				await opened.close();
				const { reached } = server;
				this.#options.log.info("tools.reached", { agy: version, door: reached });
				if (reached !== undefined && isDoor(reached)) await this.#memory.noteSuccess(version, reached);
				else if (agyWorked) this.#memory.noteFailure(version, doors);
			},
		};
	}

	async #open(server: ToolServer, doors: readonly Door[], globalFile: string | undefined): Promise<OpenDoors> {
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
			this.#options.log.info("tools.not-offered", { cause: error instanceof Error ? error.message : String(error) });
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
