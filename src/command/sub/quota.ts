import { formatQuota } from "../../quota/quota-text.ts";
import { formatAge } from "../../words/duration.ts";
import { describeAskFailure } from "../ask-failure-words.ts";
import { misused, refuse, type SubCommand, say } from "../sub-command.ts";

export const quotaCommand: SubCommand = {
	name: "quota",
	usage: "",
	summary: "Ask agy how much of the quota is left; costs no tokens",
	async run(words, env, progress) {
		if (words.length > 0) return misused(quotaCommand);
		const answer = await env.quota.read(() => progress("Asking agy for the quota…"));
		if (!answer.ok) {
			const { problem, remedy } = describeAskFailure(answer.failure);
			return refuse(`${problem} ${remedy}`);
		}
		const now = env.clock.now();
		const age = now - answer.askedAt;
		const note = age < 1000 ? [] : [`(asked ${formatAge(age)}; agy is asked again after five minutes)`];
		return say(...formatQuota(answer.pools, { now }), ...note);
	},
};
