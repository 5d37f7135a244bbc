import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TOOL_PLUGIN, TOOL_SERVER_NAME, type ToolServer } from "../../engine/engine.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import type { McpRegistration } from "./registrations.ts";

/** A file of the folder, by its path below it. */
export interface FolderFile {
	readonly path: string;
	readonly content: string;
}

/** Pure: the files of the workspace registrations among `registrations`. */
export function workspaceFiles(server: ToolServer, registrations: readonly McpRegistration[]): readonly FolderFile[] {
	return registrations.flatMap((registration) => filesFor(server, registration));
}

function filesFor(server: ToolServer, registration: McpRegistration): FolderFile[] {
	switch (registration) {
		case "workspace-file":
			return [{ path: ".agents/mcp_config.json", content: mcpConfig(TOOL_SERVER_NAME, server, registration) }];
		case "workspace-plugin": {
			const folder = `.agents/plugins/${TOOL_PLUGIN.name}`;
			const about = {
				name: TOOL_PLUGIN.name,
				version: "1.0.0",
				description: "The tools of the pi session that started this agy",
			};
			return [
				{ path: `${folder}/plugin.json`, content: json(about) },
				{ path: `${folder}/mcp_config.json`, content: mcpConfig(TOOL_PLUGIN.server, server, registration) },
			];
		}
		case "global-entry":
			return [];
	}
}

function mcpConfig(name: string, { url, headers }: ToolServer, registration: McpRegistration): string {
	return json({ mcpServers: { [name]: { serverUrl: url(registration), headers } } });
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
