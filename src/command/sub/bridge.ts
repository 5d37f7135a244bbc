import { changeSetting } from "../change-setting.ts";
import { misused, type SubCommand, say } from "../sub-command.ts";

const values = ["off", "extensions", "all"];
const usage = "[off|extensions|all]";

export const bridgeCommand: SubCommand = {
	name: "bridge",
	usage,
	summary: "Show or set which of pi's tools agy may call",
	complete: (words) => (words.length === 0 ? values : []),
	async run(words, env) {
		const [value, ...rest] = words;
		if (value !== undefined) {
			if (rest.length > 0 || !values.includes(value)) return misused({ name: "bridge", usage });
			return changeSetting(env.settings, "bridge", value);
		}
		const status = env.bridgeStatus?.();
		const { bridge } = env.settings.current();
		return say(
			`bridge is ${bridge} (from: ${env.settings.origin("bridge")}).`,
			status?.state ?? "Nothing is offered to agy in this session.",
			...(status?.tools ?? []).map((tool) => `  ${tool}`),
			...(status?.leftOut ?? []).map(({ name, reason }) => `  (${name}: not offered, ${reason})`),
		);
	},
};
