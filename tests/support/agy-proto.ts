/**
 * Encodes and decodes agy's messages with `@bufbuild/protobuf`, from the definitions in `agy.proto`. The stand-in writes
 * its rows with it, and tests hold the product's own decoder against it, so that both cannot be wrong in the same way.
 *
 * Messages are plain objects: names in camel case, members of a `oneof` like any other field, 64-bit integers as `bigint`
 * (`number` is accepted), maps as objects, enums as numbers. Fields with their default value are left out.
 */
import { readFileSync } from "node:fs";
import { create, createFileRegistry, type DescField, type DescMessage, fromBinary, toBinary } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt/google/protobuf/descriptor_pb.js";
import { parseProto } from "./proto-file.ts";

export type Plain = { [field: string]: PlainValue | undefined };
export type PlainValue = string | number | bigint | boolean | Uint8Array | Plain | PlainValue[];

const text = readFileSync(new URL("agy.proto", import.meta.url), "utf8");
const registry = createFileRegistry(create(FileDescriptorProtoSchema, parseProto("agy.proto", text)), () => undefined);

/** The wire bytes of a message; throws on an unknown message, an unknown field or a value of the wrong type. */
export function encode(messageName: string, value: Plain): Uint8Array {
	const desc = descriptor(messageName);
	return toBinary(desc, fill(desc, value).message);
}

/** The fields that are set in `bytes`; throws on malformed input. Unknown fields are skipped, see `unknownFields`. */
export function decode(messageName: string, bytes: Uint8Array): Plain {
	const desc = descriptor(messageName);
	return toPlain(reflect(desc, fromBinary(desc, bytes)));
}

/** Where `bytes` holds fields that `agy.proto` does not know, as paths such as `metadata.modelUsage.#14`. */
export function unknownFields(messageName: string, bytes: Uint8Array): string[] {
	const desc = descriptor(messageName);
	return collectUnknown(reflect(desc, fromBinary(desc, bytes)), "");
}

/** `google.protobuf.Any` around another of agy's messages, as agy 1.2 wraps its built-in tools' steps. */
export function wrapStep(step: Plain): Plain {
	return { typeUrl: "type.googleapis.com/gemini_coder.Step", value: encode("Step", step) };
}

function descriptor(messageName: string): DescMessage {
	const desc = registry.getMessage(`agy.${messageName}`);
	if (desc === undefined) throw new Error(`agy.proto has no message ${messageName}`);
	return desc;
}

function fill(desc: DescMessage, value: Plain): ReflectMessage {
	const target = reflect(desc, create(desc));
	for (const [name, item] of Object.entries(value)) {
		if (item === undefined) continue;
		const field = desc.field[name];
		if (field === undefined) throw new Error(`${desc.name} has no field ${name}`);
		setField(target, field, item);
	}
	return target;
}

function setField(target: ReflectMessage, field: DescField, item: PlainValue): void {
	switch (field.fieldKind) {
		case "list": {
			if (!Array.isArray(item)) throw new Error(`${field.name} wants a list`);
			const list = target.get(field);
			for (const entry of item) list.add(field.listKind === "message" ? fill(field.message, asPlain(entry)) : entry);
			return;
		}
		case "map": {
			const map = target.get(field);
			for (const [key, entry] of Object.entries(asPlain(item))) {
				map.set(key, field.mapKind === "message" ? fill(field.message, asPlain(entry)) : entry);
			}
			return;
		}
		case "message":
			target.set(field, fill(field.message, asPlain(item)));
			return;
		default:
			target.set(field, item);
	}
}

function asPlain(value: PlainValue | undefined): Plain {
	if (typeof value !== "object" || Array.isArray(value) || value instanceof Uint8Array) {
		throw new Error(`expected a message, got ${String(value)}`);
	}
	return value;
}

function toPlain(message: ReflectMessage): Plain {
	const plain: Plain = {};
	for (const field of message.fields) {
		if (message.isSet(field)) plain[field.localName] = fieldToPlain(message, field);
	}
	return plain;
}

function fieldToPlain(message: ReflectMessage, field: DescField): PlainValue {
	switch (field.fieldKind) {
		case "list":
			return [...message.get(field)].map(itemToPlain);
		case "map":
			return Object.fromEntries([...message.get(field)].map(([key, item]) => [String(key), itemToPlain(item)]));
		default:
			return itemToPlain(message.get(field));
	}
}

function itemToPlain(item: unknown): PlainValue {
	return isReflectMessage(item) ? toPlain(item) : (item as PlainValue);
}

function collectUnknown(message: ReflectMessage, path: string): string[] {
	const found = (message.getUnknown() ?? []).map((unknown) => `${path}#${unknown.no}`);
	for (const field of message.fields) {
		if (!message.isSet(field)) continue;
		const inner = `${path}${field.localName}.`;
		for (const item of fieldItems(message, field)) {
			if (isReflectMessage(item)) found.push(...collectUnknown(item, inner));
		}
	}
	return found;
}

function fieldItems(message: ReflectMessage, field: DescField): unknown[] {
	if (field.fieldKind === "list") return [...message.get(field)];
	if (field.fieldKind === "map") return [...message.get(field).values()];
	return [message.get(field)];
}
