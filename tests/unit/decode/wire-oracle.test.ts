import assert from "node:assert/strict";
import { test } from "node:test";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { FieldCursor, Message } from "../../../src/decode/wire.ts";

interface Found {
	fields: { number: number; type: number; content: string }[];
	malformed: boolean;
}

/** What `@bufbuild/protobuf` reads, up to the first thing it refuses. */
function oracle(bytes: Uint8Array): Found {
	const reader = new BinaryReader(bytes);
	const fields: Found["fields"] = [];
	try {
		while (reader.pos < reader.len) {
			const [number, type] = reader.tag();
			fields.push({ number, type, content: oracleValue(bytes, reader, number, type, 100) });
		}
	} catch {
		return { fields, malformed: true };
	}
	return { fields, malformed: false };
}

function oracleValue(bytes: Uint8Array, reader: BinaryReader, number: number, type: WireType, depth: number): string {
	switch (type) {
		case WireType.Varint:
			return String(reader.uint64());
		case WireType.Bit64:
			return hex(fixed(bytes, reader, 8));
		case WireType.Bit32:
			return hex(fixed(bytes, reader, 4));
		case WireType.LengthDelimited: {
			const length = BigInt(reader.uint64());
			if (length > BigInt(reader.len - reader.pos)) throw new RangeError("premature EOF");
			return hex(fixed(bytes, reader, Number(length)));
		}
		case WireType.StartGroup: {
			if (depth <= 0) throw new Error("too deep");
			for (;;) {
				const [inner, innerType] = reader.tag();
				if (innerType === WireType.EndGroup && inner === number) return "group";
				oracleValue(bytes, reader, inner, innerType, depth - 1);
			}
		}
		default:
			throw new Error(`unexpected wire type ${type}`);
	}
}

function fixed(bytes: Uint8Array, reader: BinaryReader, length: number): Uint8Array {
	const start = reader.pos;
	if (length > reader.len - start) throw new RangeError("premature EOF");
	reader.pos += length;
	return bytes.subarray(start, reader.pos);
}

function walk(bytes: Uint8Array): Found {
	const cursor = new FieldCursor(bytes);
	const fields: Found["fields"] = [];
	while (cursor.next()) {
		assert.ok(cursor.start <= cursor.end && cursor.end <= bytes.length, "a value outside of the bytes");
		fields.push({ number: cursor.number, type: cursor.type, content: content(bytes, cursor) });
	}
	return { fields, malformed: cursor.malformed };
}

function content(bytes: Uint8Array, { type, start, end }: FieldCursor): string {
	if (type === WireType.StartGroup) return "group";
	if (type !== WireType.Varint) return hex(bytes.subarray(start, end));
	const tagged = Buffer.concat([new Uint8Array([8]), bytes.subarray(start, end)]);
	return String(BigInt.asUintN(64, new Message(tagged).int64(1)));
}

function hex(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}

const fieldNumber = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 2 ** 29 - 1 }));
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

type Write = (writer: BinaryWriter) => void;
const { message } = fc.letrec<{ message: Uint8Array; field: Write }>((tie) => ({
	message: fc.array(tie("field"), { maxLength: 8 }).map((fields) => {
		const writer = new BinaryWriter();
		for (const write of fields) write(writer);
		return writer.finish();
	}),
	field: fc.oneof(
		{ depthSize: "small" },
		fc.tuple(fieldNumber, uint64).map(
			([no, value]): Write =>
				(w) =>
					w.tag(no, WireType.Varint).uint64(value),
		),
		fc.tuple(fieldNumber, fc.string({ unit: "grapheme" })).map(
			([no, value]): Write =>
				(w) =>
					w.tag(no, 2).string(value),
		),
		fc.tuple(fieldNumber, fc.double()).map(
			([no, value]): Write =>
				(w) =>
					w.tag(no, WireType.Bit64).double(value),
		),
		fc.tuple(fieldNumber, fc.nat()).map(
			([no, value]): Write =>
				(w) =>
					w.tag(no, WireType.Bit32).fixed32(value),
		),
		fc.tuple(fieldNumber, tie("message")).map(
			([no, value]): Write =>
				(w) =>
					w.tag(no, 2).bytes(value),
		),
		fc.tuple(fieldNumber, tie("message")).map(
			([no, value]): Write =>
				(w) =>
					w.tag(no, 3).raw(value).tag(no, 4),
		),
	),
}));

const mutated = fc
	.tuple(
		message,
		fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 }), fc.constantFrom("set", "cut", "insert")), { maxLength: 4 }),
	)
	.map(([bytes, mutations]) => {
		let result = [...bytes];
		for (const [where, byte, how] of mutations) {
			const at = where % (result.length + 1);
			if (how === "set") result[Math.min(at, Math.max(0, result.length - 1))] = byte;
			else if (how === "insert") result.splice(at, 0, byte);
			else result = result.slice(0, at);
		}
		return new Uint8Array(result);
	});

test("the walker finds what @bufbuild/protobuf finds in random messages", () => {
	fc.assert(
		fc.property(message, (bytes) => {
			const found = walk(bytes);
			assert.equal(found.malformed, false);
			assert.deepEqual(found, oracle(bytes));
		}),
		{ numRuns: 2000 },
	);
});

test("the walker finds the same in messages that were broken, up to the same byte", () => {
	fc.assert(
		fc.property(mutated, (bytes) => assert.deepEqual(walk(bytes), oracle(bytes))),
		{ numRuns: 4000 },
	);
});

test("the walker finds the same in bytes that are no message", () => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => assert.deepEqual(walk(bytes), oracle(bytes))),
		{ numRuns: 2000 },
	);
});

test("64-bit integers are exact", () => {
	fc.assert(
		fc.property(uint64, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (unsigned, signed) => {
			const bytes = new BinaryWriter()
				.tag(1, WireType.Varint)
				.uint64(unsigned)
				.tag(2, WireType.Varint)
				.int64(signed)
				.finish();
			const read = new Message(bytes);
			assert.equal(read.int64(1), BigInt.asIntN(64, unsigned));
			assert.equal(read.int64(2), signed);
			assert.equal(read.number(2), Number(signed));
		}),
	);
});

test("reading any field of any garbage in any way never throws", () => {
	fc.assert(
		fc.property(
			fc.oneof(mutated, fc.uint8Array({ maxLength: 100 })),
			fc.integer({ min: 1, max: 20 }),
			(bytes, field) => {
				const read = new Message(bytes);
				for (const inner of [read, read.message(field), ...read.messages(field)]) {
					inner.text(field);
					inner.texts(field);
					inner.number(field);
					inner.numbers(field);
					inner.int64(field);
					inner.double(field);
					inner.textMap(field);
				}
			},
		),
	);
});
