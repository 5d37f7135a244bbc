import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../engine/thrown.ts";
import { resolveAlias } from "../../models/alias.ts";
import { checkAgy } from "../doctor/agy.ts";
import { checkAgySettings } from "../doctor/agy-settings.ts";
import { checkBridge, checkSelfTest, SELF_TEST_BEGINS } from "../doctor/bridge.ts";
import { type Check, formatChecks } from "../doctor/check.ts";
import {
	checkConflicts,
	checkDecoding,
	checkDefaultModel,
	checkFileEvents,
	checkModels,
	checkSettings,
	checkSurroundings,
	checkWriteAccess,
} from "../doctor/checks.ts";
import { checkHooks } from "../doctor/hooks.ts";
import type { CommandEnvironment } from "../environment.ts";
import { misused, type Reply, type SubCommand } from "../sub-command.ts";

const usage = "[--verbose]";

export const doctorCommand: SubCommand = {
	name: "doctor",
	usage,
	summary: "Check everything a turn needs; --verbose says more and tests the bridge (can cost part of a model request)",
	complete: (words) => (words.length === 0 ? [{ word: "--verbose", meaning: "Says more, and tests the bridge." }] : []),
	async run(words, env, progress) {
		const verbose = words[0] === "--verbose" || words[0] === "-v";
		if (words.length > (verbose ? 1 : 0)) return misused({ name: "doctor", usage });
		progress("Looking at agy…");
		const checks = await examine(env);
		checks.push(...(await examineBridge(env, verbose, progress)));
		return { level: worstOf(checks), lines: formatChecks(checks, verbose) };
	},
};

function worstOf(checks: readonly Check[]): Reply["level"] {
	if (checks.some((check) => check.level === "problem")) return "error";
	return checks.some((check) => check.level === "warning") ? "warning" : "info";
}

/** Last, because a started agy would be found at work by the other checks. */
async function examineBridge(
	{ probes, bridgeStatus }: CommandEnvironment,
	verbose: boolean,
	progress: (text: string) => void,
): Promise<Check[]> {
	const status = bridgeStatus?.();
	if (status === undefined) return [];
	if (!verbose || probes.bridge === undefined || status.tools.length === 0) return [checkBridge(status)];
	progress(SELF_TEST_BEGINS);
	return [checkSelfTest(await probes.bridge())];
}

async function examine(env: CommandEnvironment): Promise<Check[]> {
	const { probes, settings, catalogue, dataDirectory } = env;
	const agySettings = join(probes.geminiDir, "antigravity-cli", "settings.json");
	const hooks = [join(probes.geminiDir, "config", "hooks.json"), join(probes.cwd, ".agents", "hooks.json")];
	const [agy, refresh, writeFailure, decoding, events, agySettingsText, ...hooksTexts] = await Promise.all([
		probes.agy(),
		catalogue.refresh({ force: true }),
		tryToWrite(dataDirectory),
		probes.decoding(),
		probes.fileEvents(),
		readText(agySettings),
		...hooks.map(readText),
	]);
	if (refresh.kind === "updated") await env.publishModels();
	const { permissions, fileEvents, defaultModel } = settings.current();
	const found = resolveAlias(catalogue.entries(), defaultModel, undefined, catalogue.isComplete());
	return [
		checkAgy(agy),
		...checkModels(agy, refresh, catalogue.entries().length),
		checkWriteAccess(dataDirectory, writeFailure),
		checkDecoding(decoding),
		checkFileEvents(events, fileEvents),
		checkConflicts(probes.conflicts()),
		...checkHooks(hooks.map((path, index) => ({ path, text: hooksTexts[index] }))),
		...checkAgySettings(agySettings, agySettingsText, permissions),
		...checkSettings(settings.path, settings.problems()),
		...checkDefaultModel(defaultModel, found),
		...checkSurroundings(probes.env, probes.cwd),
	];
}

/** Undefined when it worked, else why not. */
async function tryToWrite(directory: string): Promise<string | undefined> {
	try {
		await mkdir(directory, { recursive: true, mode: 0o700 });
		const probe = await mkdtemp(join(directory, "doctor-"));
		await rm(probe, { recursive: true });
		return undefined;
	} catch (error) {
		return codeOf(error) ?? "unknown cause";
	}
}

async function readText(path: string): Promise<string | undefined> {
	return readFile(path, "utf8").catch(() => undefined);
}
