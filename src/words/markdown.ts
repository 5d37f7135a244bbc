/** What would be taken for markup; within a word `_` is none. Brackets stay: for pi a backslash before one begins a formula. */
const MARKS = /[\\`*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
const ADDRESS = /^https?:/;

/** A line of plain words that reads the same where pi draws it as Markdown: a command keeps its stars and underscores. */
export function plainInMarkdown(line: string): string {
	return line.replace(/\S+/g, (word) => (ADDRESS.test(word) ? word : word.replace(MARKS, "\\$&")));
}
