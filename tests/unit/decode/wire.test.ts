import assert from "node:assert/strict";
import { test } from "node:test";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { FieldCursor, Message } from "../../../src/decode/wire.ts";

const write = () => new BinaryWriter();
const varint = (field: number, value: bigint) => write().tag(field, WireType.Varint).uint64(value).finish();
const text = (field: number, value: string) => write().tag(field, WireType.LengthDelimited).string(value).finish();
const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

test("texts come out byte for byte: emoji, CJK, combining marks, CRLF, a byte order mark, NUL", () => {
	for (const sample of [
		"",
		"plain",
		"🙂👩‍👩‍👧",
		"漢字かな",
		"e\u0301",
		"a\r\nb",
		"\uFEFFwith mark",
		"a\0b",
		"x".repeat(100),
	]) {
		assert.equal(new Message(text(1, sample)).text(1), sample);
		assert.equal(new Message(text(1, sample.padEnd(64, "·"))).text(1), sample.padEnd(64, "·"));
	}
});

test("bytes that are not UTF-8 read as replacement characters", () => {
	const broken = write()
		.tag(1, WireType.LengthDelimited)
		.bytes(new Uint8Array([0x61, 0xff, 0xc3]))
		.finish();
	assert.equal(new Message(broken).text(1), "a\uFFFD\uFFFD");
});

test("integers: exact as bigint in all 64 bits, signed as number, defaults when absent", () => {
	for (const value of [0n, 1n, 127n, 128n, 2n ** 31n, 2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]) {
		const message = new Message(varint(3, value));
		assert.equal(message.int64(3), BigInt.asIntN(64, value));
		if (value < 2n ** 53n) assert.equal(message.number(3), Number(value));
	}
	assert.equal(new Message(write().tag(1, WireType.Varint).int32(-5).finish()).number(1), -5);
	const absent = Message.empty;
	assert.deepEqual([absent.number(1), absent.int64(1), absent.flag(1)], [0, 0n, false]);
	assert.deepEqual([absent.text(1), absent.double(1), absent.has(1)], ["", 0, false]);
	assert.equal(absent.message(1).message(2).text(3), "");
});

test("a floating point number is read where it stands, also at an odd offset", () => {
	const bytes = write().tag(1, WireType.Bit64).double(-2.5e300).finish();
	const message = new Message(join(new Uint8Array([8, 1]), bytes), 2);
	assert.equal(message.double(1), -2.5e300);
});

test("the last one counts of a single field, all of a repeated one; another wire type is another field", () => {
	const message = new Message(join(text(1, "a"), varint(2, 5n), text(1, "b"), varint(1, 9n)));
	assert.equal(message.text(1), "b");
	assert.deepEqual(message.texts(1), ["a", "b"]);
	assert.equal(message.number(1), 9);
	assert.equal(message.text(2), "");
	assert.ok(message.has(2));
});

test("repeated integers, packed and not", () => {
	const packed = write()
		.tag(4, WireType.LengthDelimited)
		.bytes(new Uint8Array([1, 0x80, 0x01, 3]))
		.finish();
	assert.deepEqual(new Message(join(varint(4, 7n), packed, varint(4, 8n))).numbers(4), [7, 1, 128, 3, 8]);
});

test("a varint that never seems to end, in a packed field, is given up and not chewed on", () => {
	const endless = join(new Uint8Array(50_000).fill(0x80), new Uint8Array([1]));
	const packed = write().tag(4, WireType.LengthDelimited).bytes(endless).finish();
	assert.deepEqual(new Message(packed).numbers(4), []);
});

test("a map of strings keeps its keys, also those without a value", () => {
	const entry = (key: string, value: string) =>
		write()
			.tag(5, WireType.LengthDelimited)
			.bytes(join(text(1, key), text(2, value)))
			.finish();
	assert.deepEqual(
		[...new Message(join(entry("a", "1"), entry("b", ""))).textMap(5)],
		[
			["a", "1"],
			["b", ""],
		],
	);
});

test("nothing is copied: only the asked part of the buffer is looked at", (t) => {
	const large = text(1, "x".repeat(10_000));
	const payload = join(large, text(2, "y".repeat(100)));
	const decode = t.mock.method(TextDecoder.prototype, "decode");
	const message = new Message(payload);
	assert.equal(message.byteLength(1), 10_000);
	assert.equal(decode.mock.callCount(), 0);
	assert.equal(message.text(2).length, 100);
	assert.equal(decode.mock.callCount(), 1);
});

test("a view into a larger buffer never reads what lies around it", () => {
	const surroundings = new Uint8Array(64).fill(0x81);
	const field = text(1, "inside");
	surroundings.set(field, 20);
	assert.equal(new Message(surroundings.subarray(20, 20 + field.length)).text(1), "inside");
	const cut = new Message(surroundings.subarray(20, 20 + field.length - 1));
	assert.equal(cut.text(1), "");
	assert.equal(new FieldCursor(field, 0, 10_000).next(), true);
});

const malformed: [string, number[]][] = [
	["a tag without its end", [0x88]],
	["field number 0", [0x00, 0x01]],
	["a tag of six bytes", [0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 0x01]],
	["a tag beyond 32 bits", [0x88, 0x80, 0x80, 0x80, 0x70, 0x01]],
	["wire type 6", [0x0e]],
	["wire type 7", [0x0f, 0x01]],
	["a varint without its end", [0x08, 0xff, 0xff]],
	["a varint of eleven bytes", [0x08, ...new Array<number>(10).fill(0xff), 0x01]],
	["a cut fixed64", [0x09, 1, 2, 3]],
	["a cut fixed32", [0x0d, 1, 2, 3]],
	["a length past the end", [0x0a, 0x05, 1, 2]],
	["a length of 4 GB", [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1]],
	["a length of 2^63", [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1]],
	["a length of 2^32, which 32 bits would take for 0", [0x0a, 0x80, 0x80, 0x80, 0x80, 0x10]],
	["a group without its end", [0x0b, 0x08, 0x01]],
	["a group with another one's end", [0x0b, 0x14]],
	["an end without a group", [0x0c]],
];
for (const [what, bytes] of malformed) {
	test(`${what} ends the walk and keeps what came before`, () => {
		const good = varint(1, 42n);
		const cursor = new FieldCursor(join(good, new Uint8Array(bytes)));
		assert.equal(cursor.next(), true);
		assert.equal(cursor.next(), false);
		assert.equal(cursor.malformed, true);
		assert.equal(cursor.next(), false);
		const message = new Message(join(good, new Uint8Array(bytes)));
		assert.equal(message.number(1), 42);
	});
}

test("groups are stepped over, with what is in them", () => {
	const group = [0x0b, 0x08, 0x05, 0x13, 0x0a, 0x01, 0x61, 0x14, 0x0c];
	const message = new Message(join(new Uint8Array(group), varint(9, 3n)));
	assert.equal(message.number(1), 0);
	assert.equal(message.number(9), 3);
});

test("a hundred groups deep is read, a hundred thousand are refused without exhausting the stack", () => {
	const nested = (depth: number) =>
		new Message(join(new Uint8Array(depth).fill(0x0b), new Uint8Array(depth).fill(0x0c), varint(2, 1n)));
	assert.equal(nested(100).number(2), 1);
	assert.equal(nested(101).number(2), 0);
	assert.equal(nested(100_000).number(2), 0);
});
