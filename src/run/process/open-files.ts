import { execFile } from "node:child_process";
import { readdir, readlink } from "node:fs/promises";

/** Lists the files that processes have open, as absolute paths with links resolved; undefined where it cannot be told. */
export type OpenFiles = (pids: readonly number[]) => Promise<readonly string[] | undefined>;

/** The way of the platform: `/proc` on Linux, `lsof` on macOS; on Windows there is none without a driver. */
export function systemOpenFiles(platform: NodeJS.Platform = process.platform): OpenFiles {
	if (platform === "linux") return linuxOpenFiles;
	return platform === "win32" ? async () => undefined : lsofOpenFiles;
}

const linuxOpenFiles: OpenFiles = async (pids) => {
	const perProcess = await Promise.all(
		pids.map(async (pid) => {
			const fds = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
			return fds && Promise.all(fds.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")));
		}),
	);
	const readable = perProcess.filter((paths) => paths !== undefined);
	// Not one could be read: they are gone, or hidden from us. That is not "nothing is open".
	if (readable.length === 0) return undefined;
	// A file that was deleted while it is open is still the one that is written.
	return readable.flat().flatMap((path) => (path.startsWith("/") ? [path.replace(/ \(deleted\)$/, "")] : []));
};

const lsofOpenFiles: OpenFiles = (pids) =>
	new Promise((resolve) => {
		if (pids.length === 0) return resolve(undefined);
		const args = ["-n", "-P", "-w", "-F", "n", "-p", pids.join(",")];
		// lsof's exit code is 1 as soon as one of the processes is gone; what it printed counts all the same.
		execFile("lsof", args, { timeout: 5_000, maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) => {
			const paths = stdout.split("\n").flatMap((line) => (line.startsWith("n/") ? [line.slice(1)] : []));
			resolve(paths.length === 0 ? undefined : paths);
		});
	});
