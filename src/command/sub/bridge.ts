import { changeSetting } from "../change-setting.ts";
import { checkSelfTest, SELF_TEST_BEGINS } from "../doctor/bridge.ts";
import { formatCheck } from "../doctor/check.ts";
import type { BridgeStatus, CommandEnvironment } from "../environment.ts";
import { settingNow } from "../setting-now.ts";
import { misused, type Reply, type SubCommand, type Suggestion, say } from "../sub-command.ts";

const values: readonly Suggestion[] = [
	{ word: "off", meaning: "agy may call none of pi's tools." },
	{ word: "extensions", meaning: "agy may call those it has no equal of." },
	{ word: "all", meaning: "agy may call all of pi's active tools." },
];
const trial: Suggestion = {
	word: "test",
	meaning: "Starts agy to see whether it connects (can cost part of a model request).",
};
const usage = "[off|extensions|all|test]";

export const bridgeCommand: SubCommand = {
	name: "bridge",
	usage,
	summary: "Show or set which of pi's tools agy may call; test starts agy (can cost part of a model request)",
	complete: (words) => (words.length === 0 ? [...values, trial] : []),
	async run(words, env, progress) {
		const [value, ...rest] = words;
		if (value === undefined) return show(env);
		if (rest.length === 0 && value === trial.word) return test(env, progress);
		if (rest.length > 0 || !values.some(({ word }) => word === value)) return misused({ name: "bridge", usage });
		return changeSetting(env.settings, "bridge", value);
	},
};

function show({ settings, bridgeStatus }: CommandEnvironment): Reply {
	const status = bridgeStatus?.();
	return say(
		...settingNow(settings, "bridge"),
		...(status === undefined ? ["Nothing is offered to agy in this session."] : [status.state, ...toolLines(status)]),
	);
}

function toolLines({ tools, leftOut }: BridgeStatus): string[] {
	const byReason = Map.groupBy(leftOut, ({ reason }) => reason);
	return [
		...(tools.length === 0 ? [] : [`  offered: ${tools.join(", ")}`]),
		...[...byReason].map(([reason, left]) => `  not offered, ${reason}: ${left.map(({ name }) => name).join(", ")}`),
	];
}

async function test({ probes }: CommandEnvironment, progress: (text: string) => void): Promise<Reply> {
	progress(SELF_TEST_BEGINS);
	const check = checkSelfTest((await probes.bridge?.()) ?? { kind: "not-offered" });
	return { level: check.level === "ok" ? "info" : "warning", lines: formatCheck(check, true) };
}
