import type { ToolFacts } from "../tool-facts.ts";
import type { Message } from "../wire.ts";
import { argsOf } from "./args.ts";
import { pathOf } from "./file-uri.ts";

/**
 * CortexStepGenerateImage {1 prompt, 2 image_paths, 3 generated_image, 4 image_name, 6 generated_media, 7 aspect_ratio}.
 */
export function generateImage(body: Message): ToolFacts {
	return {
		kind: "image",
		get args() {
			return argsOf({ Prompt: body.text(1), ImageName: body.text(4), AspectRatio: body.text(7) });
		},
		get imagePaths() {
			const made = [...imageDataPaths([body.message(3)]), ...mediaPaths([body.message(6)])];
			return made.length > 0 ? [...new Set(made)] : localPaths(body.texts(2));
		},
	};
}

/** The pictures among common.Media {1 mime_type, 5 uri} that lie in files. */
export function mediaPaths(media: readonly Message[]): string[] {
	const pictures = media.filter((item) => !item.has(1) || item.text(1).startsWith("image/"));
	return localPaths(pictures.map((item) => item.text(5)));
}

/** The files of common.ImageData {4 uri}. */
export function imageDataPaths(images: readonly Message[]): string[] {
	return localPaths(images.map((image) => image.text(4)));
}

function localPaths(uris: readonly string[]): string[] {
	return uris.filter((uri) => /^(?:file:|\/|[A-Za-z]:[\\/])/.test(uri)).map(pathOf);
}
