import type { ToolFacts } from "../tool-facts.ts";
import type { Message } from "../wire.ts";
import { argsOf } from "./args.ts";
import { pathOf, restrictedPath } from "./file-uri.ts";

/**
 * CortexStepViewFile {1 absolute_path_uri, 4 content, 9 raw_content, 14 binary_data {2 mime_type}, 15 media_data {1 mime_type},
 * 16 file_permission_request}.
 */
export function viewFile(body: Message): ToolFacts {
	return {
		kind: "read",
		get args() {
			return argsOf({ AbsolutePath: pathOf(body.text(1)) });
		},
		get output() {
			return body.text(body.byteLength(4) > 0 ? 4 : 9) || undefined;
		},
		get imagePaths() {
			const isImage = [body.message(14).text(2), body.message(15).text(1)].some((mime) => mime.startsWith("image/"));
			return isImage ? [pathOf(body.text(1))] : [];
		},
		get restrictedPath() {
			return restrictedPath(body.message(16));
		},
	};
}

/**
 * CortexStepListDirectory {1 directory_path_uri, 2 children, 3 results {1 name, 2 is_dir}, 4 dir_not_found,
 * 5 file_permission_request}.
 */
export function listDirectory(body: Message): ToolFacts {
	return {
		kind: "list",
		get args() {
			return argsOf({ DirectoryPath: pathOf(body.text(1)) });
		},
		get output() {
			const entries = body.messages(3).map((entry) => entry.text(1) + (entry.flag(2) ? "/" : ""));
			return linesOrNone(entries.length > 0 ? entries : body.texts(2));
		},
		get problem() {
			return body.flag(4) ? "The directory does not exist." : undefined;
		},
		get restrictedPath() {
			return restrictedPath(body.message(5));
		},
	};
}

/**
 * CortexStepGrepSearch {1 query, 2 includes, 3 raw_output, 4 results, 5 grep_error, 11 search_path_uri, 14 is_regex, 15 timed_out,
 * 16 file_permission_request}.
 */
export function grepSearch(body: Message): ToolFacts {
	return {
		kind: "grep",
		get args() {
			const SearchPath = pathOf(body.text(11));
			return argsOf({ Query: body.text(1), SearchPath, Includes: body.texts(2), IsRegex: body.flag(14) });
		},
		get output() {
			return body.text(3) || linesOrNone(body.messages(4).map(grepHit));
		},
		get problem() {
			return body.text(5) || (body.flag(15) ? "The search timed out." : undefined);
		},
		get restrictedPath() {
			return restrictedPath(body.message(16));
		},
	};
}

/**
 * CortexStepFind {1 pattern, 2 includes, 3 excludes, 8 find_error, 10 search_directory, 11 raw_output, 12 extensions,
 * 14 truncated_output}.
 */
export function find(body: Message): ToolFacts {
	return {
		kind: "find",
		get args() {
			return argsOf({
				Pattern: body.text(1),
				SearchDirectory: pathOf(body.text(10)),
				Includes: body.texts(2),
				Excludes: body.texts(3),
				Extensions: body.texts(12),
			});
		},
		get output() {
			return body.text(11) || body.text(14) || undefined;
		},
		get problem() {
			return body.text(8) || undefined;
		},
	};
}

/** GrepSearchResult {1 relative_path, 2 line_number, 3 content, 4 absolute_path}, in grep's own notation. */
function grepHit(hit: Message): string {
	const path = hit.text(1) || hit.text(4);
	return hit.has(2) ? `${path}:${hit.number(2)}:${hit.text(3)}` : path;
}

function linesOrNone(lines: readonly string[]): string | undefined {
	return lines.length > 0 ? lines.join("\n") : undefined;
}
