import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { decodeStep } from "../../../src/decode/step.ts";
import type { Step, StepBody, ToolBody } from "../../../src/decode/step-types.ts";
import { encode, type Plain } from "../../support/agy-proto.ts";

export const STATUS = { pending: 1, running: 2, done: 3, cancelled: 6, error: 7, generating: 8, waiting: 9 } as const;

/** A row holding `step`, a gemini_coder.Step whose `type` and `status` (done, when left out) are the row's own. */
export function rowOf(step: Plain & { type: number; status?: number }, extra: Uint8Array = new Uint8Array()): Step {
	const status = step.status ?? STATUS.done;
	const payload = Buffer.concat([encode("Step", { ...step, status }), extra]);
	return decodeStep({ idx: 7, stepType: step.type, status, payload });
}

/** The body of `rowOf(step)`, which must be a tool. */
export function toolOf(step: Plain & { type: number; status?: number }, extra?: Uint8Array): ToolBody {
	return expectKind(rowOf(step, extra).body, "tool");
}

export function expectKind<K extends StepBody["kind"]>(body: StepBody, kind: K): Extract<StepBody, { kind: K }> {
	if (!isKind(body, kind)) throw new Error(`expected a ${kind} step, got ${body.kind}`);
	return body;
}

function isKind<K extends StepBody["kind"]>(body: StepBody, kind: K): body is Extract<StepBody, { kind: K }> {
	return body.kind === kind;
}

/** Metadata of a step that executes a tool call. */
export function calling(name: string, args: object, rest: Plain = {}): Plain {
	return { toolCall: { id: "call-1", name, argumentsJson: JSON.stringify(args) }, ...rest };
}

/** A field that agy.proto does not have, for messages that only the product reads; numbers are written as varints. */
export function rawField(
	field: number,
	content: Uint8Array | Record<number, string | number | Uint8Array>,
): Uint8Array {
	const writer = new BinaryWriter().tag(field, WireType.LengthDelimited);
	if (content instanceof Uint8Array) return writer.bytes(content).finish();
	const inner = new BinaryWriter();
	for (const [number, value] of Object.entries(content)) {
		if (typeof value === "number") inner.tag(Number(number), WireType.Varint).int64(value);
		else if (typeof value === "string") inner.tag(Number(number), WireType.LengthDelimited).string(value);
		else inner.tag(Number(number), WireType.LengthDelimited).bytes(value);
	}
	return writer.bytes(inner.finish()).finish();
}
