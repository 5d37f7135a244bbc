import { pathToFileURL } from "node:url";
import { diffLines } from "diff";
import type { Plain } from "../support/agy-proto.ts";
import { TYPE } from "./steps.ts";
import type { Shape } from "./tools.ts";

/** Numbers of UnifiedDiffLineType. */
const LINE = { insert: 1, delete: 2, unchanged: 3 } as const;

interface Edit {
	file: string;
	/** Absent for a new file. */
	before?: string;
	after: string;
	description?: string;
}

/** A CODE_ACTION row for an edited or a new file, with its diff line by line over the whole file. */
export function codeAction(edit: Edit): Shape {
	const uri = pathToFileURL(edit.file).href;
	const { before, after } = edit;
	const created = before === undefined;
	const description = edit.description ?? (created ? "Create the file" : "Edit the file");
	const spec: Plain = created
		? { createFile: { instruction: description, path: { absoluteUri: uri }, overwrite: false } }
		: {
				command: {
					instruction: description,
					isEdit: true,
					file: { absoluteUri: uri },
					useFastApply: true,
					replacementChunks: [replacement(before, after)],
				},
			};
	return {
		name: created ? "write_to_file" : "replace_file_content",
		args: created
			? { TargetFile: edit.file, CodeContent: after, Overwrite: false, Description: description }
			: { TargetFile: edit.file, Description: description, ReplacementContent: after, TargetContent: before },
		type: TYPE.codeAction,
		field: "codeAction",
		start: { actionSpec: spec, useFastApply: true, description },
		end: {
			actionResult: {
				edit: { diff: diff(before ?? "", after), absoluteUri: uri, originalContent: before, createFile: created },
			},
		},
		output: "The file was written.",
		permission: { action: "write_file", target: edit.file, displayName: "WriteFile" },
		summary: `${created ? "Create" : "Edit"} ${edit.file}`,
	};
}

/** A removed file (CODE_ACTION) or folder (DELETE_DIRECTORY). */
export function deletion(spec: { file: string; content?: string; directory?: boolean }): Shape {
	const uri = pathToFileURL(spec.file).href;
	const permission = { action: "write_file", target: spec.file, displayName: "DeleteFile" };
	const common = { output: "Deleted.", permission, summary: `Delete ${spec.file}` };
	if (spec.directory) {
		return {
			name: "delete_directory",
			args: { DirectoryPath: spec.file, Force: true },
			type: TYPE.deleteDirectory,
			field: "deleteDirectory",
			start: { directoryPathUri: uri, force: true },
			end: {},
			...common,
		};
	}
	const content = spec.content ?? "";
	return {
		name: "delete_file",
		args: { TargetFile: spec.file },
		type: TYPE.codeAction,
		field: "codeAction",
		start: { actionSpec: { deleteFile: { path: { absoluteUri: uri } } }, description: "Delete the file" },
		end: { actionResult: { edit: { diff: diff(content, ""), absoluteUri: uri, originalContent: content } } },
		...common,
	};
}

function replacement(before: string, after: string): Plain {
	const changed = diffLines(before, after).find((part) => part.added || part.removed);
	const at = changed === undefined ? 0 : before.indexOf(changed.value);
	const startLine = at < 0 ? 1 : before.slice(0, at).split("\n").length;
	return { targetContent: before, replacementContent: after, startLine, endLine: before.split("\n").length };
}

function diff(before: string, after: string): Plain {
	const lines = diffLines(before, after).flatMap((part) => {
		const type = part.added ? LINE.insert : part.removed ? LINE.delete : LINE.unchanged;
		return part.value
			.replace(/\n$/, "")
			.split("\n")
			.map((text) => ({ text, type }));
	});
	return { endLine: before === "" ? 0 : before.split("\n").length, unifiedDiff: { lines } };
}
