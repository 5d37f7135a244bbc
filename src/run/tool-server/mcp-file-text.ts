import { applyEdits, type FormattingOptions, modify, type ParseError, parse } from "jsonc-parser";

const PARSING = { allowTrailingComma: true, disallowComments: false };
const BOM = "\uFEFF";

/**
 * Pure: agy's MCP file with one more server, or without it when `entry` is undefined. Everything else stays as it is, to the
 * byte: comments, order, indentation. Undefined when the text is not the object that agy's file has to be.
 */
export function withServer(text: string, name: string, entry: object | undefined): string | undefined {
	const mark = text.startsWith(BOM) ? BOM : "";
	const body = text.slice(mark.length);
	const source = body.trim() === "" ? "{}\n" : body;
	const errors: ParseError[] = [];
	const value: unknown = parse(source, errors, PARSING);
	if (errors.length > 0 || !isObject(value)) return undefined;
	const servers = value.mcpServers;
	if (servers !== undefined && !isObject(servers)) return undefined;
	if (entry === undefined && (servers === undefined || !Object.hasOwn(servers, name))) return text;
	const edits = modify(source, ["mcpServers", name], entry, { formattingOptions: formattingOf(source) });
	return mark + applyEdits(source, edits);
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is added looks like what is there. */
function formattingOf(text: string): FormattingOptions {
	const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
	return {
		insertSpaces: !indent.startsWith("\t"),
		tabSize: indent.startsWith("\t") ? 1 : indent.length,
		eol: text.includes("\r\n") ? "\r\n" : "\n",
	};
}
