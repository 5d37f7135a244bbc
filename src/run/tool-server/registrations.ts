/**
 * Where agy's MCP configuration can name a server. Which of these places an agy reads differs by version, and reports disagree:
 * - `workspace-file`: `.agents/mcp_config.json` in a folder named with `--add-dir` (worked with 1.1.7, later not for some);
 * - `workspace-plugin`: a plugin under `.agents/plugins` there (works with 1.3.3);
 * - `global-entry`: an entry in the file all agy processes of the user share (all versions).
 */
export type McpRegistration = "workspace-file" | "workspace-plugin" | "global-entry";

/** Those that only our own agy reads. */
const PRIVATE_REGISTRATIONS: readonly McpRegistration[] = ["workspace-file", "workspace-plugin"];

export interface RegistrationChoice {
	/** The one by which this version of agy connected before. */
	readonly known: McpRegistration | undefined;
	/** Those by which it did not connect to this pi process. */
	readonly failed: ReadonlySet<McpRegistration>;
	/** The user allows an entry in the shared file. */
	readonly globalAllowed: boolean;
}

/** Pure: which registrations to make for a run; none when all that may be tried have failed. */
export function chooseRegistrations({ known, failed, globalAllowed }: RegistrationChoice): readonly McpRegistration[] {
	const usable = (registration: McpRegistration) =>
		!failed.has(registration) && (registration !== "global-entry" || globalAllowed);
	if (known !== undefined && usable(known)) return [known];
	const hidden = PRIVATE_REGISTRATIONS.filter(usable);
	if (hidden.length > 0) return hidden;
	return usable("global-entry") ? ["global-entry"] : [];
}

/** Whether `text`, from a file or an address, names a registration. */
export function isMcpRegistration(text: string): text is McpRegistration {
	return text === "global-entry" || PRIVATE_REGISTRATIONS.some((registration) => registration === text);
}
