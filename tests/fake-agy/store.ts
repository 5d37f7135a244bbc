import { type ConversationDatabase, writeBrokenDatabase } from "./database.ts";

/** What a conversation writes to. */
export type Store = Pick<
	ConversationDatabase,
	| "upsertStep"
	| "upsertGeneration"
	| "insertBlob"
	| "setTrajectoryMetadata"
	| "setTrajectory"
	| "deleteFrom"
	| "read"
	| "exec"
> & {
	/** The file, once there is one that can be opened. */
	readonly file: string | undefined;
};

/** Keeps every commit back until `open`, then makes them all: a database that appears late. */
export class LateStore implements Store {
	readonly #create: () => ConversationDatabase;
	readonly #held: ((database: ConversationDatabase) => void)[] = [];
	#database: ConversationDatabase | undefined;

	constructor(create: () => ConversationDatabase) {
		this.#create = create;
	}

	get file(): string | undefined {
		return this.#database?.file;
	}

	open(): void {
		this.#database ??= this.#create();
		for (const write of this.#held.splice(0)) write(this.#database);
	}

	upsertStep: Store["upsertStep"] = (row) => this.#do((database) => database.upsertStep(row));
	upsertGeneration: Store["upsertGeneration"] = (idx, data) =>
		this.#do((database) => database.upsertGeneration(idx, data));
	insertBlob: Store["insertBlob"] = (table, idx, data) => this.#do((database) => database.insertBlob(table, idx, data));
	setTrajectoryMetadata: Store["setTrajectoryMetadata"] = (data) =>
		this.#do((database) => database.setTrajectoryMetadata(data));
	setTrajectory: Store["setTrajectory"] = (...row) => this.#do((database) => database.setTrajectory(...row));
	deleteFrom: Store["deleteFrom"] = (table, idx) => this.#do((database) => database.deleteFrom(table, idx));
	exec: Store["exec"] = (sql) => this.#do((database) => database.exec(sql));
	read: Store["read"] = (sql) => this.#database?.read(sql) ?? [];

	#do(write: (database: ConversationDatabase) => void): void {
		if (this.#database === undefined) this.#held.push(write);
		else write(this.#database);
	}
}

/** Writes nowhere: no database at all, or a file in its place that is none. */
export class NoStore implements Store {
	readonly file = undefined;

	constructor(file: string, kind: "never" | "no-steps" | "empty" | "corrupt") {
		if (kind !== "never") writeBrokenDatabase(file, kind);
	}

	upsertStep(): void {}
	upsertGeneration(): void {}
	insertBlob(): void {}
	setTrajectoryMetadata(): void {}
	setTrajectory(): void {}
	deleteFrom(): void {}
	exec(): void {}
	read(): Record<string, unknown>[] {
		return [];
	}
}
