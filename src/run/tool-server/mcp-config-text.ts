import {
	applyEdits,
	createScanner,
	type Edit,
	findNodeAtLocation,
	modify,
	type Node,
	type ParseError,
	parseTree,
} from "jsonc-parser";

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
	const root = parseTree(source, errors, PARSING);
	if (errors.length > 0 || root?.type !== "object") return undefined;
	const servers = findNodeAtLocation(root, ["mcpServers"]);
	if (servers !== undefined && servers.type !== "object") return undefined;
	// Not laid out, and before all others: laying out would touch the neighbours, and their comments.
	if (entry !== undefined) {
		return mark + applyEdits(source, modify(source, ["mcpServers", name], entry, { getInsertionIndex: () => 0 }));
	}
	const properties = servers?.children ?? [];
	const index = properties.findIndex((property) => property.children?.[0]?.value === name);
	return index < 0 ? text : mark + applyEdits(source, removal(source, properties, index));
}

/** Takes out a property and one comma, and not what stands between them and others. */
function removal(source: string, properties: readonly Node[], index: number): Edit[] {
	const [before, property, after] = [properties[index - 1], properties[index], properties[index + 1]];
	if (property === undefined) return [];
	const end = property.offset + property.length;
	const comma =
		findComma(source, end, after?.offset ?? source.length) ??
		(before && findComma(source, before.offset + before.length, property.offset));
	const edit = (offset: number, length: number): Edit => ({ offset, length, content: "" });
	return [edit(property.offset, property.length), ...(comma === undefined ? [] : [edit(comma, 1)])];
}

/** Where the next thing that is no comment is a comma. */
function findComma(source: string, from: number, to: number): number | undefined {
	const scanner = createScanner(source, true);
	scanner.setPosition(from);
	scanner.scan();
	const at = scanner.getTokenOffset();
	return at < to && source[at] === "," ? at : undefined;
}
