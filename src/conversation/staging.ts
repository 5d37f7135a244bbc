import { existsSync } from "node:fs";
import { lstat, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ImageContent } from "@earendil-works/pi-ai";
import { makePrivateFolder, PRIVATE_FOLDER_PREFIX } from "../files/private-folder.ts";
import { hash } from "./fingerprint.ts";

/**
 * A private folder for what does not fit into a prompt: images and long texts. It lies in the system's folder for
 * temporary files, because agy does not take folders below a dot folder, such as pi's own, for a workspace (reported of
 * several agy versions). Folder 0700, files 0600.
 */
export interface Staging {
	readonly folder: string;
	/** Where `writeImage` puts this image; the same image has the same path. */
	imagePath(image: ImageContent): string;
	writeImage(image: ImageContent): Promise<void>;
	/** Returns the absolute path. */
	writeText(name: string, text: string): Promise<string>;
	/** Removes the folder with all that is in it. Never rejects. */
	remove(): Promise<void>;
}

/** Creates the folder. Rejects when the disk does not let us. */
export async function createStaging(root: string, pid: number): Promise<Staging> {
	const folder = await makePrivateFolder(root, pid);
	const imagePath = (image: ImageContent) => join(folder, `image-${hash(image.data)}${extension(image.mimeType)}`);
	const write = async (path: string, content: string | Buffer) => {
		if (!existsSync(path)) await writeFile(path, content, { mode: 0o600, flag: "wx" });
	};
	return {
		folder,
		imagePath,
		writeImage: (image) => write(imagePath(image), Buffer.from(image.data, "base64")),
		async writeText(name, text) {
			const path = join(folder, `${name}-${hash(text)}.txt`);
			await write(path, text);
			return path;
		},
		remove: () => rm(folder, { recursive: true, force: true }).catch(() => {}),
	};
}

/** Removes the folders of processes that died without doing so. Others' folders and living processes' stay. */
export async function removeAbandonedStaging(root: string, isAlive: (pid: number) => boolean): Promise<void> {
	const uid = process.getuid?.();
	for (const name of await readdir(root).catch(() => [])) {
		const pid = new RegExp(`^${PRIVATE_FOLDER_PREFIX}(\\d+)-`).exec(name)?.[1];
		if (pid === undefined || isAlive(Number(pid))) continue;
		const path = join(root, name);
		const stats = await lstat(path).catch(() => undefined);
		if (!stats?.isDirectory() || (uid !== undefined && stats.uid !== uid)) continue;
		await rm(path, { recursive: true, force: true }).catch(() => {});
	}
}

function extension(mimeType: string): string {
	switch (mimeType) {
		case "image/png":
			return ".png";
		case "image/jpeg":
			return ".jpg";
		case "image/gif":
			return ".gif";
		case "image/webp":
			return ".webp";
		default:
			return "";
	}
}
