/**
 * The protobuf wire format, read by hand: just what it takes to find fields in agy's payloads without copying them.
 * Nothing here throws on bad input. A walk ends at the first thing that is not protobuf and keeps what it read before.
 */

export const WireType = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

const MAX_VARINT_BYTES = 10;
const MAX_TAG_BYTES = 5;
const MAX_TAG = 0xffff_ffff;
const MAX_GROUP_DEPTH = 100;
/** Varints of up to this many bytes carry 49 bits, which a `number` holds exactly. */
const SAFE_VARINT_BYTES = 7;
/** Below this length joining char codes is faster than a call into TextDecoder. */
const SHORT_TEXT = 16;

/** Lossy for invalid UTF-8; a byte order mark is kept, so that texts come out as agy wrote them. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Steps through the fields of one message, in the order in which they stand in `bytes`. */
export class FieldCursor {
	/** Field number and wire type of the current field. A group is one field, `groupStart`. */
	number = 0;
	type = 0;
	/** The value is `bytes[start..end)`: a varint's own bytes, the content of a length-delimited field or of a group. */
	start = 0;
	end = 0;
	/** True once the walk met something that is not protobuf, or a value that reaches past the end. */
	malformed = false;

	readonly #bytes: Uint8Array;
	readonly #limit: number;
	#at: number;

	constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
		this.#bytes = bytes;
		this.#at = start;
		this.#limit = Math.min(end, bytes.length);
	}

	/** Moves to the next field; false at the end, and for good after anything malformed. */
	next(): boolean {
		if (this.malformed || this.#at >= this.#limit) return false;
		const good = this.#tag() && (this.type === WireType.groupStart ? this.#group() : this.#value());
		this.malformed = !good;
		return good;
	}

	/** Reads the next tag into `number` and `type`. */
	#tag(): boolean {
		const before = this.#at;
		const tag = this.#varint();
		if (tag < 0 || tag > MAX_TAG || this.#at - before > MAX_TAG_BYTES) return false;
		this.number = tag >>> 3;
		this.type = tag & 7;
		return this.number > 0;
	}

	/** Finds where the value of the current field, which is no group, lies, and steps over it. */
	#value(): boolean {
		this.start = this.#at;
		switch (this.type) {
			case WireType.varint:
				if (this.#varint() < 0) return false;
				break;
			case WireType.fixed64:
				this.#at += 8;
				break;
			case WireType.fixed32:
				this.#at += 4;
				break;
			case WireType.bytes: {
				const length = this.#varint();
				if (length < 0) return false;
				this.start = this.#at;
				this.#at += length;
				break;
			}
			default:
				return false;
		}
		this.end = this.#at;
		return this.#at <= this.#limit;
	}

	/** Steps over a group with all groups inside it; a loop, so that hostile nesting cannot exhaust the stack. */
	#group(): boolean {
		const number = this.number;
		const start = this.#at;
		const open = [number];
		while (open.length > 0) {
			this.end = this.#at;
			if (this.#at >= this.#limit || !this.#tag()) return false;
			if (this.type === WireType.groupEnd) {
				if (open.pop() !== this.number) return false;
			} else if (this.type === WireType.groupStart) {
				if (open.push(this.number) > MAX_GROUP_DEPTH) return false;
			} else if (!this.#value()) {
				return false;
			}
		}
		this.number = number;
		this.type = WireType.groupStart;
		this.start = start;
		return true;
	}

	/** The next varint; -1 when it is cut off or too long. Exact up to 2^53, which is more than any length can be. */
	#varint(): number {
		const first = this.#bytes[this.#at] ?? 0xff;
		if (first < 0x80 && this.#at < this.#limit) {
			this.#at++;
			return first;
		}
		let value = 0;
		let scale = 1;
		for (let count = 0; count < MAX_VARINT_BYTES && this.#at < this.#limit; count++) {
			const byte = this.#bytes[this.#at++] ?? 0;
			value += (byte & 0x7f) * scale;
			if (byte < 0x80) return value;
			scale *= 128;
		}
		return -1;
	}
}

/**
 * A message whose fields have been found but not decoded: each getter decodes the one field it is asked for. A field that
 * is absent, or has another wire type than asked for, reads as proto3's default. Of a field that may come once the last
 * one counts.
 */
export class Message {
	static readonly empty = new Message(new Uint8Array());

	readonly #bytes: Uint8Array;
	/** Three entries per field: tag, start and end of the value. */
	readonly #fields: number[] = [];

	constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
		this.#bytes = bytes;
		const cursor = new FieldCursor(bytes, start, end);
		while (cursor.next()) this.#fields.push(cursor.number * 8 + cursor.type, cursor.start, cursor.end);
	}

	get isEmpty(): boolean {
		return this.#fields.length === 0;
	}

	has(field: number): boolean {
		for (let at = 0; at < this.#fields.length; at += 3) {
			if (Math.floor(this.#field(at) / 8) === field) return true;
		}
		return false;
	}

	/** A string; "" when absent. */
	text(field: number): string {
		const at = this.#last(field, WireType.bytes);
		return at < 0 ? "" : decodeText(this.#bytes, this.#field(at + 1), this.#field(at + 2));
	}

	texts(field: number): string[] {
		return this.#all(field, WireType.bytes).map((at) =>
			decodeText(this.#bytes, this.#field(at + 1), this.#field(at + 2)),
		);
	}

	/** How many bytes a string or bytes field has, without decoding it. */
	byteLength(field: number): number {
		const at = this.#last(field, WireType.bytes);
		return at < 0 ? 0 : this.#field(at + 2) - this.#field(at + 1);
	}

	/** An embedded message; an empty one when absent, so that paths can be followed without checks. */
	message(field: number): Message {
		const at = this.#last(field, WireType.bytes);
		return at < 0 ? Message.empty : new Message(this.#bytes, this.#field(at + 1), this.#field(at + 2));
	}

	messages(field: number): Message[] {
		return this.#all(field, WireType.bytes).map(
			(at) => new Message(this.#bytes, this.#field(at + 1), this.#field(at + 2)),
		);
	}

	/** An enum or an integer of up to 53 bits, signed; larger ones are rounded (see `int64`). 0 when absent. */
	number(field: number): number {
		const at = this.#last(field, WireType.varint);
		return at < 0 ? 0 : varintNumber(this.#bytes, this.#field(at + 1), this.#field(at + 2));
	}

	/** A repeated integer, packed or not. */
	numbers(field: number): number[] {
		const found: number[] = [];
		for (let at = 0; at < this.#fields.length; at += 3) {
			const tag = this.#field(at);
			if (tag === field * 8 + WireType.varint) {
				found.push(varintNumber(this.#bytes, this.#field(at + 1), this.#field(at + 2)));
			} else if (tag === field * 8 + WireType.bytes) {
				addPackedNumbers(found, this.#bytes, this.#field(at + 1), this.#field(at + 2));
			}
		}
		return found;
	}

	flag(field: number): boolean {
		return this.number(field) !== 0;
	}

	/** A signed 64-bit integer, exact. 0n when absent. */
	int64(field: number): bigint {
		const at = this.#last(field, WireType.varint);
		return at < 0 ? 0n : BigInt.asIntN(64, varintBigint(this.#bytes, this.#field(at + 1), this.#field(at + 2)));
	}

	double(field: number): number {
		const at = this.#last(field, WireType.fixed64);
		return at < 0 ? 0 : this.#view(at).getFloat64(0, true);
	}

	/** A map<string, string>. */
	textMap(field: number): Map<string, string> {
		return new Map(this.messages(field).map((entry) => [entry.text(1), entry.text(2)]));
	}

	#view(at: number): DataView {
		const start = this.#field(at + 1);
		return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, this.#field(at + 2) - start);
	}

	#last(field: number, type: number): number {
		const tag = field * 8 + type;
		for (let at = this.#fields.length - 3; at >= 0; at -= 3) {
			if (this.#fields[at] === tag) return at;
		}
		return -1;
	}

	#all(field: number, type: number): number[] {
		const tag = field * 8 + type;
		const found: number[] = [];
		for (let at = 0; at < this.#fields.length; at += 3) {
			if (this.#fields[at] === tag) found.push(at);
		}
		return found;
	}

	#field(at: number): number {
		return this.#fields[at] ?? 0;
	}
}

function decodeText(bytes: Uint8Array, start: number, end: number): string {
	if (end - start > SHORT_TEXT) return utf8.decode(bytes.subarray(start, end));
	const codes: number[] = [];
	for (let at = start; at < end; at++) {
		const byte = bytes[at] ?? 0;
		if (byte > 0x7f) return utf8.decode(bytes.subarray(start, end));
		codes.push(byte);
	}
	return String.fromCharCode.apply(undefined, codes);
}

function varintNumber(bytes: Uint8Array, start: number, end: number): number {
	if (end - start > SAFE_VARINT_BYTES) return Number(BigInt.asIntN(64, varintBigint(bytes, start, end)));
	let value = 0;
	for (let at = end - 1; at >= start; at--) value = value * 128 + ((bytes[at] ?? 0) & 0x7f);
	return value;
}

function varintBigint(bytes: Uint8Array, start: number, end: number): bigint {
	let value = 0n;
	for (let at = end - 1; at >= start; at--) value = (value << 7n) | BigInt((bytes[at] ?? 0) & 0x7f);
	return BigInt.asUintN(64, value);
}

/** Adds the varints of a packed field to `found`, up to the first that is cut off or too long. */
function addPackedNumbers(found: number[], bytes: Uint8Array, start: number, end: number): void {
	let first = start;
	for (let at = start; at < end && at - first < MAX_VARINT_BYTES; at++) {
		if ((bytes[at] ?? 0) >= 0x80) continue;
		found.push(varintNumber(bytes, first, at + 1));
		first = at + 1;
	}
}
