import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { AgyCommand } from "../../../src/run/agy/ask-agy.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** An agy whose every run is the shell script `body`; `$*` are its arguments. */
export function stubAgy(t: Pick<TestContext, "after">, body: string): AgyCommand {
	const path = join(temporaryFolder(t), "agy");
	writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
	return { path, env: { PATH: process.env.PATH ?? "" } };
}
