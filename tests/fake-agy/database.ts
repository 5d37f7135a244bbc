import { appendFileSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

/** One row of `steps`, as it is written. */
export interface StepColumns {
	idx: number;
	stepType: number;
	status: number;
	metadata: Uint8Array | null;
	errorDetails: Uint8Array | null;
	permissions: Uint8Array | null;
	taskDetails: Uint8Array | null;
	renderInfo: Uint8Array | null;
	payload: Uint8Array | null;
}

export interface DatabaseOptions {
	synchronous: "FULL" | "NORMAL";
	/** Milliseconds; agy's own value is unknown, so the least patient one is the default. */
	busyTimeout: number;
	/** A file that gets one line of JSON per commit. */
	commitLog: string | undefined;
}

/** The tables as agy 1.0.9 to 1.2.0 create them. */
export const DDL = [
	"CREATE TABLE `trajectory_meta` (`trajectory_id` text,`cascade_id` text,`trajectory_type` integer,`source` integer,PRIMARY KEY (`trajectory_id`))",
	"CREATE TABLE `steps` (`idx` integer,`step_type` integer NOT NULL DEFAULT 0,`status` integer NOT NULL DEFAULT 0,`has_subtrajectory` numeric NOT NULL DEFAULT false,`metadata` blob,`error_details` blob,`permissions` blob,`task_details` blob,`render_info` blob,`step_payload` blob,`step_format` integer NOT NULL DEFAULT 0,PRIMARY KEY (`idx`))",
	"CREATE INDEX `idx_steps_status` ON `steps`(`status`)",
	"CREATE INDEX `idx_steps_step_type` ON `steps`(`step_type`)",
	"CREATE TABLE `gen_metadata` (`idx` integer,`data` blob,`size` integer NOT NULL DEFAULT 0,PRIMARY KEY (`idx`))",
	"CREATE TABLE `executor_metadata` (`idx` integer,`data` blob,PRIMARY KEY (`idx`))",
	"CREATE TABLE `parent_references` (`idx` integer,`data` blob,PRIMARY KEY (`idx`))",
	'CREATE TABLE `trajectory_metadata_blob` (`id` text DEFAULT "main",`data` blob,PRIMARY KEY (`id`))',
	"CREATE TABLE `battle_mode_infos` (`idx` integer,`data` blob,PRIMARY KEY (`idx`))",
];

export type Blobs = "executor_metadata" | "parent_references";

/** A conversation's file. Every method that writes is one commit, as in agy. */
export class ConversationDatabase {
	readonly file: string;
	readonly #db: DatabaseSync;
	readonly #options: DatabaseOptions;
	readonly #statements = new Map<string, StatementSync>();
	#commits = 0;

	constructor(file: string, options: DatabaseOptions) {
		mkdirSync(dirname(file), { recursive: true });
		this.file = file;
		this.#options = options;
		this.#db = new DatabaseSync(file, { timeout: options.busyTimeout });
		this.#db.exec("PRAGMA journal_mode = WAL");
		this.#db.exec(`PRAGMA synchronous = ${options.synchronous}`);
		const version = this.#db.prepare("PRAGMA user_version").get();
		if (version?.user_version === 1) return;
		for (const statement of DDL) this.#db.exec(statement);
		this.#db.exec("PRAGMA user_version = 1");
	}

	upsertStep(row: StepColumns): void {
		this.#write(
			"steps",
			`INSERT INTO steps (idx, step_type, status, metadata, error_details, permissions, task_details, render_info, step_payload)
			 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (idx) DO UPDATE SET step_type = excluded.step_type,
			 status = excluded.status, metadata = excluded.metadata, error_details = excluded.error_details,
			 permissions = excluded.permissions, task_details = excluded.task_details, render_info = excluded.render_info,
			 step_payload = excluded.step_payload`,
			[
				row.idx,
				row.stepType,
				row.status,
				row.metadata,
				row.errorDetails,
				row.permissions,
				row.taskDetails,
				row.renderInfo,
				row.payload,
			],
			{ idx: row.idx, type: row.stepType, status: row.status, bytes: row.payload?.length ?? 0 },
		);
	}

	upsertGeneration(idx: number, data: Uint8Array): void {
		this.#write(
			"gen_metadata",
			"INSERT INTO gen_metadata (idx, data, size) VALUES (?, ?, ?) ON CONFLICT (idx) DO UPDATE SET data = excluded.data, size = excluded.size",
			[idx, data, data.length],
			{ idx, bytes: data.length },
		);
	}

	insertBlob(table: Blobs, idx: number, data: Uint8Array): void {
		this.#write(table, `INSERT INTO ${table} (idx, data) VALUES (?, ?)`, [idx, data], { idx });
	}

	setTrajectoryMetadata(data: Uint8Array): void {
		this.#write(
			"trajectory_metadata_blob",
			"INSERT INTO trajectory_metadata_blob (id, data) VALUES ('main', ?) ON CONFLICT (id) DO UPDATE SET data = excluded.data",
			[data],
			{},
		);
	}

	/** The row of `trajectory_meta`, in the place of the one before. */
	setTrajectory(trajectoryId: string, conversationId: string, source: number, before?: string): void {
		if (before !== undefined) {
			this.#write("trajectory_meta", "DELETE FROM trajectory_meta WHERE trajectory_id = ?", [before], {
				deleted: true,
			});
		}
		this.#write(
			"trajectory_meta",
			"INSERT OR REPLACE INTO trajectory_meta VALUES (?, ?, 4, ?)",
			[trajectoryId, conversationId, source],
			{},
		);
	}

	deleteFrom(table: "steps" | "gen_metadata", idx: number): void {
		this.#write(table, `DELETE FROM ${table} WHERE idx >= ?`, [idx], { idx, deleted: true });
	}

	read(sql: string): Record<string, unknown>[] {
		return this.#db.prepare(sql).all();
	}

	exec(sql: string): void {
		this.#db.exec(sql);
	}

	close(): void {
		this.#db.close();
	}

	#write(
		table: string,
		sql: string,
		values: (string | number | Uint8Array | null)[],
		note: Record<string, unknown>,
	): void {
		let statement = this.#statements.get(sql);
		if (statement === undefined) {
			statement = this.#db.prepare(sql);
			this.#statements.set(sql, statement);
		}
		statement.run(...values);
		const at = process.hrtime.bigint();
		if (this.#options.commitLog === undefined) return;
		const line = { n: this.#commits++, at: String(at), file: this.file, table, ...note };
		appendFileSync(this.#options.commitLog, `${JSON.stringify(line)}\n`);
	}
}

/** Puts a file where the database should be that is none, or none of agy's. */
export function writeBrokenDatabase(file: string, kind: "no-steps" | "empty" | "corrupt"): void {
	mkdirSync(dirname(file), { recursive: true });
	if (kind === "no-steps") {
		const db = new DatabaseSync(file);
		db.exec("PRAGMA journal_mode = WAL; CREATE TABLE notes (idx integer)");
		return;
	}
	const handle = openSync(file, "w");
	if (kind === "corrupt") writeSync(handle, `SQLite format 3\0${"not really ".repeat(1000)}`);
}
