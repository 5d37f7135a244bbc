import { statSync } from "node:fs";

/**
 * A text that changes whenever the file does. Files of ours are replaced rather than rewritten, so the inode changes even where
 * time stamps are coarse. Never throws.
 */
export function fileStamp(path: string): string {
	try {
		const stat = statSync(path);
		return `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
	} catch {
		return "absent";
	}
}
