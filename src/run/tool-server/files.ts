import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TOOL_SERVER_NAME, type ToolServer } from "../../engine/engine.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import type { Door } from "./doors.ts";

/** A file of the folder, by its path below it. */
export interface FolderFile {
	readonly path: string;
	readonly content: string;
}

/** agy puts the plugin's name before the server's since 1.2.2; together they are the name that stands in the other file. */
const PLUGIN = "pi";
const PLUGIN_SERVER = "tools";

/** Pure: the files that open the private doors among `doors`. */
export function folderFiles(server: ToolServer, doors: readonly Door[]): readonly FolderFile[] {
	return doors.flatMap((door) => filesFor(server, door));
}

function filesFor(server: ToolServer, door: Door): FolderFile[] {
	switch (door) {
		case "workspace-file":
			return [{ path: ".agents/mcp_config.json", content: mcpConfig(TOOL_SERVER_NAME, server, door) }];
		case "workspace-plugin": {
			const folder = `.agents/plugins/${PLUGIN}`;
			const about = {
				name: PLUGIN,
				version: "1.0.0",
				description: "The tools of the pi session that started this agy",
			};
			return [
				{ path: `${folder}/plugin.json`, content: json(about) },
				{ path: `${folder}/mcp_config.json`, content: mcpConfig(PLUGIN_SERVER, server, door) },
			];
		}
		case "global-entry":
			return [];
	}
}

function mcpConfig(name: string, { url, headers }: ToolServer, door: Door): string {
	return json({ mcpServers: { [name]: { serverUrl: url(door), headers } } });
}

function json(value: object): string {
	return `${JSON.stringify(value, null, 2)}\n`;
}

export interface PrivateFolder {
	readonly directory: string;
	/** Never rejects. */
	remove(): Promise<void>;
}

/** Writes the files into a new folder that only this user can read. Rejects when `parent` is not writable. */
export async function writePrivateFolder(files: readonly FolderFile[], parent?: string): Promise<PrivateFolder> {
	const directory = await makePrivateFolder(parent);
	for (const { path, content } of files) {
		const file = join(directory, path);
		await mkdir(dirname(file), { recursive: true, mode: 0o700 });
		await writeFile(file, content, { mode: 0o600 });
	}
	return {
		directory,
		async remove() {
			await rm(directory, { recursive: true, force: true }).catch(() => {});
		},
	};
}
