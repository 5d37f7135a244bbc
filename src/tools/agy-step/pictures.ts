import { readFile, stat } from "node:fs/promises";
import type { ImageContent } from "@earendil-works/pi-ai";
import { detectSupportedImageMimeTypeFromFile, resizeImage } from "@earendil-works/pi-coding-agent";

/** More would weigh on every later turn: a card's pictures are sent to other models too. */
const MAX_PICTURES = 2;
const MAX_FILE_BYTES = 20 * 1024 * 1024;
const SIZE = { maxWidth: 1024, maxHeight: 1024, maxBytes: 512 * 1024 };

/** The pictures a step made, made smaller, for the card to show. Files that are gone or no pictures are left out. Never rejects. */
export async function readPictures(paths: readonly string[]): Promise<ImageContent[]> {
	const pictures = await Promise.all(
		paths.slice(0, MAX_PICTURES).map((path) => readPicture(path).catch(() => undefined)),
	);
	return pictures.filter((picture) => picture !== undefined);
}

async function readPicture(path: string): Promise<ImageContent | undefined> {
	if ((await stat(path)).size > MAX_FILE_BYTES) return undefined;
	const mimeType = await detectSupportedImageMimeTypeFromFile(path);
	if (mimeType === null) return undefined;
	const resized = await resizeImage(await readFile(path), mimeType, SIZE);
	return resized === null ? undefined : { type: "image", data: resized.data, mimeType: resized.mimeType };
}
