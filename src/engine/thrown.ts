/** The code of a thrown error, as the system and Node name it: `ENOENT`. Undefined where it has none. */
export function codeOf(error: unknown): string | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** What a thrown error says, whatever was thrown. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
