/**
 * npm run bench -- [--json] [--repeat N] [NAME ...]
 *
 * Runs the measurements (all, or those named) three times each, every time in a fresh process, and prints the medians.
 */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { arch, cpus, loadavg, platform, release } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { json: { type: "boolean", default: false }, repeat: { type: "string", default: "3" } },
});
const repeat = Number(values.repeat);
if (!Number.isInteger(repeat) || repeat < 1) throw new Error("--repeat wants a number from 1 on");
const folder = fileURLToPath(new URL("measurements", import.meta.url));
const known = readdirSync(folder).map((file) => file.replace(/\.ts$/, ""));
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) throw new Error(`no measurement ${unknown.join(", ")}; there are ${known.join(", ")}`);

const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${platform()} ${release()} ${arch()}, Node ${process.version}`;
/** What else the machine does slows everything down that waits; it stands in the report so that figures can be judged. */
const load = loadavg()[0];
const report = { machine, load, repetitions: repeat, measurements: [] };
if (!values.json) process.stdout.write(`${machine}\nmedians of ${repeat}; load average before: ${load.toFixed(1)}\n`);
for (const name of positionals.length > 0 ? positionals : known) {
	const runs = [];
	for (let n = 0; n < repeat; n++) runs.push(await runOnce(name));
	const { title, comparedWith } = runs[0];
	const figures = runs[0].figures.map((figure, index) =>
		summarise(
			runs.map((run) => run.figures[index]),
			figure,
		),
	);
	report.measurements.push({ name, title, comparedWith, figures });
	if (!values.json) process.stdout.write(`\n${title}\n${table(comparedWith, figures)}`);
}
if (values.json) process.stdout.write(`${JSON.stringify(report, null, "\t")}\n`);

async function runOnce(name) {
	const entry = fileURLToPath(new URL("run-measurement.ts", import.meta.url));
	const { stdout } = await promisify(execFile)(process.execPath, [entry, name], { maxBuffer: 1e8 });
	return JSON.parse(stdout);
}

function summarise(repetitions, { name, unit, target }) {
	const value = median(repetitions.map((figure) => figure.value));
	const compared = median(repetitions.map((figure) => figure.compared));
	const goal = target === "no less than compared" ? { atLeast: compared } : target;
	const reached = goal && ("atMost" in goal ? value <= goal.atMost : value >= goal.atLeast);
	return { name, unit, value, compared, target: goal, reached, values: repetitions.map((figure) => figure.value) };
}

function median(values) {
	if (values.some((value) => value === undefined)) return undefined;
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function table(comparedWith, figures) {
	const rows = figures.map(({ name, unit, value, compared, target, reached }) => [
		name,
		amount(value, unit),
		compared === undefined ? "" : amount(compared, unit),
		target === undefined ? "" : `${"atMost" in target ? "≤" : "≥"} ${amount(target.atMost ?? target.atLeast, unit)}`,
		reached === undefined ? "" : reached ? "reached" : "MISSED",
	]);
	const all = [["", "here", comparedWith, "target", ""], ...rows];
	const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
	const line = (row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  ");
	return all.map((row) => `  ${line(row).trimEnd()}\n`).join("");
}

function amount(value, unit) {
	const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
	return `${value.toFixed(digits)}${unit && ` ${unit}`}`;
}
