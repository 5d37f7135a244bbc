import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { decode, type Plain } from "../support/agy-proto.ts";
import type { StepColumns } from "./database.ts";
import { TYPE } from "./steps.ts";

/** A finished row of a real database, byte for byte, and what its payload says. */
export interface RecordedStep {
	columns: StepColumns;
	step: Plain;
	metadata: Plain;
	/** The statuses it went through, with the nanosecond of each. */
	transitions: { status: number; at: bigint }[];
}

export interface RecordedBlob {
	idx: number;
	data: Uint8Array;
	executionId: string;
}

/** A conversation that the real agy wrote. */
export interface Recording {
	conversationId: string;
	trajectoryId: string;
	source: number;
	metadata: Uint8Array;
	/** One list of rows per turn; each begins with the user's prompt. */
	turns: RecordedStep[][];
	generations: RecordedBlob[];
	executions: RecordedBlob[];
}

/** Reads a recording from a private copy, because opening a database leaves files beside it. */
export function readRecording(file: string): Recording {
	const folder = mkdtempSync(join(tmpdir(), "fake-agy-replay-"));
	try {
		const copy = join(folder, "recording.db");
		copyFileSync(file, copy);
		const db = new DatabaseSync(copy);
		try {
			return read(db);
		} finally {
			db.close();
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function read(db: DatabaseSync): Recording {
	const trajectory = db.prepare("SELECT * FROM trajectory_meta").get() ?? {};
	const blob = db.prepare("SELECT data FROM trajectory_metadata_blob").get();
	const turns: RecordedStep[][] = [];
	for (const row of db.prepare("SELECT * FROM steps ORDER BY idx").all()) {
		if (row.step_type === TYPE.userInput || turns.length === 0) turns.push([]);
		turns.at(-1)?.push(recordedStep(row));
	}
	return {
		conversationId: String(trajectory.cascade_id),
		trajectoryId: String(trajectory.trajectory_id),
		source: Number(trajectory.source),
		metadata: bytes(blob?.data) ?? new Uint8Array(),
		turns,
		generations: blobs(db, "gen_metadata", "CortexStepGeneratorMetadata"),
		executions: blobs(db, "executor_metadata", "ExecutorMetadata"),
	};
}

function recordedStep(row: Record<string, unknown>): RecordedStep {
	const payload = bytes(row.step_payload) ?? new Uint8Array();
	const step = decode("Step", payload);
	const metadata = plain(step.metadata);
	const transitions = plain(metadata.internalMetadata).statusTransitions;
	return {
		columns: {
			idx: Number(row.idx),
			stepType: Number(row.step_type),
			status: Number(row.status),
			metadata: bytes(row.metadata),
			errorDetails: bytes(row.error_details),
			permissions: bytes(row.permissions),
			taskDetails: bytes(row.task_details),
			renderInfo: bytes(row.render_info),
			payload,
		},
		step,
		metadata,
		transitions: (Array.isArray(transitions) ? transitions : []).map((transition) => ({
			status: Number(plain(transition).updatedStatus),
			at: nanoseconds(plain(plain(transition).timestamp)),
		})),
	};
}

function blobs(db: DatabaseSync, table: string, message: string): RecordedBlob[] {
	const rows = db.prepare(`SELECT idx, data FROM ${table} ORDER BY idx`).all();
	return rows.map((row) => {
		const data = bytes(row.data) ?? new Uint8Array();
		return { idx: Number(row.idx), data, executionId: String(decode(message, data).executionId) };
	});
}

/** A nested message; empty where there is none. */
export function plain(value: unknown): Plain {
	const isMessage =
		typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
	return isMessage ? (value as Plain) : {};
}

function nanoseconds(timestamp: Plain): bigint {
	return BigInt(Number(timestamp.seconds ?? 0)) * 1_000_000_000n + BigInt(Number(timestamp.nanos ?? 0));
}

function bytes(value: unknown): Uint8Array | null {
	return value instanceof Uint8Array ? value : null;
}
