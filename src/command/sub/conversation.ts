import { misused, refuse, type SubCommand, say } from "../sub-command.ts";

const usage = "[show|new|use <id>]";

export const conversationCommand: SubCommand = {
	name: "conversation",
	usage,
	summary: "Show, renew or choose the agy conversation of this session",
	complete(words, env) {
		if (words.length === 0) return ["show", "new", "use"];
		return words.length === 1 && words[0] === "use" ? env.conversation.recent() : [];
	},
	async run(words, env) {
		const [verb = "show", id, ...rest] = words;
		const { conversation } = env;
		if (rest.length > 0) return misused({ name: "conversation", usage });
		if (verb === "show" && id === undefined) {
			const current = await conversation.current();
			if (current === undefined) return say("This session has no agy conversation yet; the next turn starts one.");
			return say(current.id, `  ${current.path}`);
		}
		if (verb === "new" && id === undefined) {
			const result = await conversation.startNew();
			if (!result.ok) return refuse(result.problem);
			return say("The next turn starts a new agy conversation, which is told what was said here.");
		}
		if (verb === "use" && id !== undefined) {
			const result = await conversation.use(id);
			return result.ok ? say(`The next turn continues conversation ${id}.`) : refuse(result.problem);
		}
		return misused({ name: "conversation", usage });
	},
};

export const clearCommand: SubCommand = {
	name: "clear",
	usage: "",
	summary: "Forget which agy conversations this session used; agy's own files stay",
	async run(words, env) {
		if (words.length > 0) return misused(clearCommand);
		const result = await env.conversation.clear();
		if (!result.ok) return refuse(result.problem);
		return say(
			result.forgot ? "Forgotten. The next turn starts a new agy conversation." : "There was nothing to forget.",
		);
	},
};
