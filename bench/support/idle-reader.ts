/** Follows a conversation in which nothing happens, and prints the CPU milliseconds that took. */
import { loadSqlite } from "../../src/tail/load-sqlite.ts";
import { follow, type Reader } from "./follow.ts";

const [mode = "", directory = "", seconds = ""] = process.argv.slice(2);
const sqlite = await loadSqlite();
const end = mode === "nothing" ? () => {} : follow(mode as Reader, directory, sqlite, () => {});
// Start-up is not what is measured.
await new Promise((resolve) => setTimeout(resolve, 1_500));
const before = process.cpuUsage();
await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1_000));
const { user, system } = process.cpuUsage(before);
process.stdout.write(String((user + system) / 1_000));
end();
