import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** Where agy keeps what it remembers. Paths are absolute and may not exist yet. */
export interface DataFolders {
	/** agy's own folder, with its settings and hooks: `~/.gemini`, or where its flag moved it. */
	readonly gemini: string;
	/** One database per conversation, `<id>.db`. */
	readonly conversations: string;
	/** One folder per conversation: images, task logs, scratch files. */
	readonly brain: string;
	/** Where agy writes when it does not take the working directory for a workspace. */
	readonly scratch: string;
}

export interface DataFolderOptions {
	/** The setting `conversationsDir` (or `AGY_CONVERSATIONS_DIR`). Decides, whatever the flags say. */
	readonly conversationsDir?: string | undefined;
	/** The parsed `extraArgs`: agy's own flags may move its data. */
	readonly extraArgs?: readonly string[];
	/** The environment agy runs in. */
	readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * The folders agy will use. Its hidden flags `--gemini_dir=<folder>` and `--app_data_dir=<name>` are honoured (reported by
 * people who use them); no variable but HOME is known to move them.
 */
export function dataFolders(options: DataFolderOptions = {}): DataFolders {
	const { conversationsDir, extraArgs = [], env = process.env } = options;
	const home = env.HOME || env.USERPROFILE || homedir();
	const root = flagValue(extraArgs, "gemini_dir") ?? join(home, ".gemini");
	const flagged = resolve(root, flagValue(extraArgs, "app_data_dir") ?? "antigravity-cli");
	const named = conversationsDir?.trim();
	const conversations = named ? resolve(named.replace(/^~(?=[/\\])/, () => home)) : join(flagged, "conversations");
	const data = named ? dirname(conversations) : flagged;
	return {
		gemini: root,
		conversations,
		brain: join(data, "brain"),
		scratch: join(data, "scratch"),
	};
}

/** The folder with links resolved, as the system reports open files; the path itself while it does not exist. */
export async function realFolder(folder: string): Promise<string> {
	return realpath(folder).catch(() => folder);
}

/** The last value of a flag in any form Go accepts: `-f v`, `--f v`, `-f=v`, `--f=v`. */
export function flagValue(args: readonly string[], name: string): string | undefined {
	let value: string | undefined;
	args.forEach((arg, index) => {
		const [, flag, attached] = /^--?([^=-][^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
		if (flag === name) value = attached ?? args[index + 1];
	});
	return value;
}
