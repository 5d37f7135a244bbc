import type { DiffLine, FileDiff, JsonObject } from "../../engine/events.ts";
import { isJsonObject } from "../../engine/json.ts";
import type { StepStatus } from "../step-types.ts";
import type { ToolContext, ToolFacts } from "../tool-facts.ts";
import type { Message } from "../wire.ts";
import { argsOf } from "./args.ts";
import {
	blockLines,
	compareLines,
	countLines,
	isBinary,
	type Replacement,
	replacementLines,
	replacementOf,
} from "./file-diff.ts";
import { pathOf, restrictedPath } from "./file-uri.ts";

/** FileChangeType of CortexStepFileChange. */
const FILE_CHANGES: readonly FileDiff["change"][] = ["edited", "created", "edited", "deleted"];

/**
 * CortexStepCodeAction {1 action_spec, 2 action_result {1 edit}, 25 file_permission_request, 28 diff_stats {1 additions,
 * 2 deletions}}: a file written, edited or deleted. The spec says what was planned: ActionSpec {1 command {4 file,
 * 9 replacement_chunks}, 2 create_file {2 path, 4 overwrite}, 4 delete_file {1 path}, 5 sed}. The edit says what was done:
 * ActionResultEdit {2 diff, 10 original_content, 11 create_file}.
 */
export function codeAction(body: Message, { args, status }: ToolContext): ToolFacts {
	const spec = body.message(1);
	const edit = body.message(2).message(1);
	const path = () => codeActionPath(spec, edit) || argText(args, "TargetFile", "AbsolutePath");
	return {
		kind: "edit",
		get args() {
			return argsOf({ TargetFile: path() });
		},
		get diff() {
			if (path() === "" || !mayHaveHappened(status, edit)) return undefined;
			const lines = blockLines(edit.message(2)) ?? linesWithoutBlock(spec, edit, args);
			const stats = body.message(28);
			return fileDiff(path(), codeActionChange(spec, edit), lines, stats.number(1), stats.number(2));
		},
		get restrictedPath() {
			return restrictedPath(body.message(25));
		},
	};
}

/** CortexStepFileChange {1 absolute_path_uri, 2 file_change_type, 3 replacement_chunks, 4 diff}. */
export function fileChange(body: Message, { status, args }: ToolContext): ToolFacts {
	const path = () => pathOf(body.text(1)) || argText(args, "TargetFile");
	return {
		kind: "edit",
		get args() {
			return argsOf({ TargetFile: path() });
		},
		get diff() {
			if (path() === "" || !mayHaveHappened(status, body.message(4))) return undefined;
			const change = FILE_CHANGES[body.number(2)] ?? "edited";
			const chunks = body.messages(3).map(replacementOf);
			return fileDiff(path(), change, blockLines(body.message(4)) ?? replacementLines(chunks));
		},
	};
}

/** CortexStepMove {1 src_absolute_path_uri, 2 dst_absolute_path_uri}. */
export function move(body: Message, { status }: ToolContext): ToolFacts {
	const [from, to] = [pathOf(body.text(1)), pathOf(body.text(2))];
	return {
		kind: "edit",
		args: argsOf({ Source: from, Destination: to }),
		summary: from === "" ? undefined : `${from} → ${to}`,
		get diff(): FileDiff | undefined {
			if (from === "" || failed(status)) return undefined;
			return { path: from, change: "moved", movedTo: to, added: 0, removed: 0 };
		},
	};
}

/** CortexStepDeleteDirectory {1 directory_path_uri}. */
export function deleteDirectory(body: Message, { status }: ToolContext): ToolFacts {
	const path = pathOf(body.text(1));
	return {
		kind: "edit",
		args: argsOf({ DirectoryPath: path }),
		get diff(): FileDiff | undefined {
			return path === "" || failed(status) ? undefined : fileDiff(path, "deleted", undefined);
		},
	};
}

/**
 * CortexStepWriteBlob {2 target_path, 3 error_message, 4 bytes_written}: binary content; the step does not tell what was there
 * before.
 */
export function writeBlob(body: Message): ToolFacts {
	return {
		kind: "edit",
		get args() {
			return argsOf({ TargetFile: pathOf(body.text(2)) });
		},
		get output() {
			const written = body.int64(4);
			return written > 0n ? `${written} bytes written` : undefined;
		},
		get problem() {
			return body.text(3) || undefined;
		},
	};
}

/**
 * An edit told by nothing but the arguments of its call (in a generic step they are all text); undefined when they name
 * no file.
 */
export function diffFromArgs(args: JsonObject, status: StepStatus): FileDiff | undefined {
	const path = pathOf(argText(args, "TargetFile"));
	if (path === "" || failed(status)) return undefined;
	const created = args.CodeContent !== undefined && String(args.Overwrite) !== "true";
	const lines = created ? compareLines("", argText(args, "CodeContent")) : replacementLines(argReplacements(args));
	return fileDiff(path, created ? "created" : "edited", lines);
}

function fileDiff(
	path: string,
	change: FileDiff["change"],
	lines: readonly DiffLine[] | undefined,
	added = 0,
	removed = 0,
): FileDiff {
	if (lines === undefined) return { path, change, added, removed };
	if (isBinary(lines)) return { path, change, binary: true, added: 0, removed: 0 };
	return { path, change, lines, added: countLines(lines, "add"), removed: countLines(lines, "remove") };
}

/**
 * The result names the file (8 absolute_uri, in older rows 1); before there is one, the plan does (PathScopeItem {5 absolute_uri,
 * in older rows 1}).
 */
function codeActionPath(spec: Message, edit: Message): string {
	const planned = [
		spec.message(1).message(4),
		spec.message(2).message(2),
		spec.message(4).message(1),
		spec.message(5).message(3),
	];
	const uri = edit.text(8) || edit.text(1) || planned.map((item) => item.text(5) || item.text(1)).find(Boolean);
	return pathOf(uri ?? "");
}

function codeActionChange(spec: Message, edit: Message): FileDiff["change"] {
	if (spec.has(4)) return "deleted";
	if (edit.flag(11)) return "created";
	const createsFile = spec.has(2) && !spec.message(2).flag(4);
	return createsFile && !edit.has(10) ? "created" : "edited";
}

/** What the step and its call tell about the change when there is no line diff. */
function linesWithoutBlock(spec: Message, edit: Message, args: JsonObject): DiffLine[] | undefined {
	const original = edit.text(10);
	if (spec.has(4)) return edit.has(10) ? compareLines(original, "") : undefined;
	const content = args.CodeContent;
	if (typeof content === "string" && (edit.has(10) || codeActionChange(spec, edit) === "created")) {
		return compareLines(original, content);
	}
	const chunks = spec.message(1).messages(9).map(replacementOf);
	return replacementLines(chunks.length > 0 ? chunks : argReplacements(args));
}

/** The passages that agy's edit tools are called with: one in the arguments themselves, or a list of them. */
function argReplacements(args: JsonObject): Replacement[] {
	const list = Array.isArray(args.ReplacementChunks) ? args.ReplacementChunks : [args];
	return list
		.filter(isJsonObject)
		.filter((chunk) => typeof chunk.TargetContent === "string" || typeof chunk.ReplacementContent === "string")
		.map((chunk) => ({ target: argText(chunk, "TargetContent"), replacement: argText(chunk, "ReplacementContent") }));
}

function argText(args: JsonObject, ...names: string[]): string {
	const value = names.map((name) => args[name]).find((found) => typeof found === "string");
	return typeof value === "string" ? value : "";
}

/** A failed step has changed something only if it recorded a result. */
function mayHaveHappened(status: StepStatus, result: Message): boolean {
	return !failed(status) || !result.isEmpty;
}

function failed(status: StepStatus): boolean {
	return status === "error" || status === "cancelled" || status === "invalid" || status === "cleared";
}
