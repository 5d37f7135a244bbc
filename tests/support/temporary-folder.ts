import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cleanup } from "./cleanup.ts";

/** A new folder, by its path without links, that is removed with all that is in it after the test. */
export function temporaryFolder(t: Cleanup): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-antigravity-test-")));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}
