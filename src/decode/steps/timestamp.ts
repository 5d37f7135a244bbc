import type { Message } from "../wire.ts";

/** A google.protobuf.Timestamp {1 seconds, 2 nanos} in milliseconds since the epoch; undefined when it is not set. */
export function timestampMs(timestamp: Message): number | undefined {
	const ms = timestamp.number(1) * 1000 + Math.floor(timestamp.number(2) / 1_000_000);
	return ms === 0 ? undefined : ms;
}
