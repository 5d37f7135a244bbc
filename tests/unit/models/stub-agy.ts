import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { AgyCommand } from "../../../src/run/agy/ask-agy.ts";

/** A folder that is gone after the test. */
export function temporaryFolder(t: Pick<TestContext, "after">): string {
	const folder = mkdtempSync(join(tmpdir(), "pi-agy-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** An agy whose every run is the shell script `body`; `$*` are its arguments. */
export function stubAgy(t: Pick<TestContext, "after">, body: string): AgyCommand {
	const path = join(temporaryFolder(t), "agy");
	writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
	return { path, env: { PATH: process.env.PATH ?? "" } };
}
