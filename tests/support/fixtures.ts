import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = fileURLToPath(new URL("../../../shared/fixtures", import.meta.url));

/** Pass it as the test option `skip`: false where the recordings of the real agy lie beside the repository, else why not. */
export const skipWithoutFixtures: string | false = existsSync(folder)
	? false
	: "the recordings of the real agy are not on this machine";

/** A step payload that the real agy wrote. */
export interface RealStep {
	name: string;
	payload: Uint8Array;
}

/** All recorded step payloads; empty where the recordings are absent. */
export function realSteps(): RealStep[] {
	return list("agy-steps", ".bin").map((file) => ({
		name: file.replace(/\.bin$/, ""),
		payload: new Uint8Array(readFileSync(join(folder, "agy-steps", file))),
	}));
}

/** The conversation ids of the recorded databases; empty where the recordings are absent. */
export function realConversations(): string[] {
	return list("agy-real", ".db").map((file) => file.replace(/\.db$/, ""));
}

/**
 * The path of a private copy of a recorded database; removed after the test. (Opening a database creates files beside it,
 * so the recording itself is never opened.)
 */
export function copyRealDatabase(t: Pick<TestContext, "after">, conversation: string): string {
	const target = temporaryFolder(t);
	const file = join(target, `${conversation}.db`);
	cpSync(join(folder, "agy-real", `${conversation}.db`), file);
	return file;
}

function list(sub: string, ending: string): string[] {
	const path = join(folder, sub);
	return existsSync(path)
		? readdirSync(path)
				.filter((file) => file.endsWith(ending))
				.sort()
		: [];
}
