import { fileURLToPath } from "node:url";
import type { Message } from "../wire.ts";

/** The path of a `file:` URI. agy also writes plain paths in fields named for URIs: those come back as they are. */
export function pathOf(uri: string): string {
	if (!uri.startsWith("file:")) return uri;
	try {
		return fileURLToPath(uri);
	} catch {
		return uri.replace(/^file:\/\//, "");
	}
}

/** The path in a FilePermissionInteractionSpec {1 absolute_path_uri}. */
export function restrictedPath(request: Message): string | undefined {
	return pathOf(request.text(1)) || undefined;
}
