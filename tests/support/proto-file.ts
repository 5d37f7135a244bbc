import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

type FileInit = MessageInitShape<typeof FileDescriptorProtoSchema>;
type MessageList = Extract<FileInit, { messageType?: unknown }>["messageType"];
type MessageInit = NonNullable<MessageList>[number];

/** Numbers of google.protobuf.FieldDescriptorProto.Type. */
const SCALARS: Record<string, number> = {
	double: 1,
	float: 2,
	int64: 3,
	uint64: 4,
	int32: 5,
	bool: 8,
	string: 9,
	bytes: 12,
	uint32: 13,
};
const TYPE_MESSAGE = 11;
const LABEL_OPTIONAL = 1;
const LABEL_REPEATED = 3;

/**
 * Turns the text of a `.proto` file into a file descriptor. Only what `agy.proto` uses is understood: top-level messages
 * with scalar, message, `repeated`, `map<string, …>` and `oneof` fields, one statement a line. Anything else throws with
 * its line number.
 */
export function parseProto(name: string, text: string): FileInit {
	const messageType: MessageInit[] = [];
	let packageName = "";
	let message: OpenMessage | undefined;
	let oneof: number | undefined;
	text.split("\n").forEach((raw, index) => {
		const line = raw.replace(/\/\/.*/, "").trim();
		if (line === "" || line.startsWith("syntax")) return;
		const [, found] = /^package (\w+);$/.exec(line) ?? [];
		if (found !== undefined) {
			packageName = found;
			return;
		}
		const [, kind, blockName] = /^(message|oneof) (\w+) \{$/.exec(line) ?? [];
		if (kind === "message" && blockName !== undefined) {
			message = { name: blockName, field: [], oneofDecl: [], nestedType: [] };
			messageType.push(message);
		} else if (kind === "oneof" && blockName !== undefined && message !== undefined) {
			oneof = message.oneofDecl.push({ name: blockName }) - 1;
		} else if (line === "}") {
			if (oneof === undefined) message = undefined;
			oneof = undefined;
		} else if (message === undefined || !addField(message, packageName, line, oneof)) {
			throw new Error(`${name}:${index + 1}: cannot read "${line}"`);
		}
	});
	return { name, package: packageName, syntax: "proto3", messageType };
}

interface OpenMessage {
	name: string;
	field: FieldInit[];
	oneofDecl: { name: string }[];
	nestedType: MessageInit[];
}
interface FieldInit {
	name: string;
	number: number;
	label: number;
	type: number;
	typeName?: string;
	oneofIndex?: number;
}

function addField(message: OpenMessage, packageName: string, line: string, oneof: number | undefined): boolean {
	const [, repeated, mapValue, plain, name = "", number] =
		/^(repeated )?(?:map<string, (\w+)>|(\w+)) (\w+) = (\d+);$/.exec(line) ?? [];
	if (number === undefined) return false;
	const label = repeated !== undefined || mapValue !== undefined ? LABEL_REPEATED : LABEL_OPTIONAL;
	let type = typeOf(packageName, plain ?? "");
	if (mapValue !== undefined) {
		const entry = `${name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Entry`;
		const field = [
			{ name: "key", number: 1, label: LABEL_OPTIONAL, type: SCALARS.string ?? 0 },
			{ name: "value", number: 2, label: LABEL_OPTIONAL, ...typeOf(packageName, mapValue) },
		];
		message.nestedType.push({ name: entry, field, options: { mapEntry: true } });
		type = typeOf(packageName, `${message.name}.${entry}`);
	}
	const member = oneof === undefined ? {} : { oneofIndex: oneof };
	message.field.push({ name, number: Number(number), label, ...type, ...member });
	return true;
}

function typeOf(packageName: string, type: string): { type: number; typeName?: string } {
	const scalar = SCALARS[type];
	return scalar === undefined ? { type: TYPE_MESSAGE, typeName: `.${packageName}.${type}` } : { type: scalar };
}
