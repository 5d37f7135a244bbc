import { formatAge } from "../../words/duration.ts";
import { homePath } from "../../words/home-path.ts";
import type { CommandEnvironment, ConversationControl } from "../environment.ts";
import { misused, type Reply, refuse, type SubCommand, type Suggestion, say } from "../sub-command.ts";

const usage = "[show|new|use <id>]";

const verbs: readonly Suggestion[] = [
	{ word: "show", meaning: "The id and the file of the one that the next turn goes on in." },
	{ word: "new", meaning: "Leaves it: the next turn starts another, which is told what was said here." },
	{ word: "use", meaning: "<id>  Goes on in another conversation of agy.", goesOn: true },
];

export const conversationCommand: SubCommand = {
	name: "conversation",
	usage,
	summary: "Show, renew or choose the agy conversation of this session",
	complete(words, env) {
		if (words.length === 0) return verbs;
		return words.length === 1 && words[0] === "use" ? recent(env) : [];
	},
	async run(words, { conversation }) {
		const [verb = "show", id, ...rest] = words;
		if (verb === "show" && id === undefined) return show(conversation);
		if (verb === "new" && id === undefined) return startNew(conversation);
		if (verb === "use" && id !== undefined && rest.length === 0) return use(conversation, id);
		return misused({ name: "conversation", usage });
	},
};

async function recent({ conversation, clock }: CommandEnvironment): Promise<Suggestion[]> {
	const all = await conversation.recent();
	return all.map(({ id, writtenAt }) => ({ word: id, meaning: `written ${formatAge(clock.now() - writtenAt)}` }));
}

async function show(conversation: ConversationControl): Promise<Reply> {
	const current = await conversation.current();
	if (current === undefined) return say(`This session is in no agy conversation: ${nextStarts("one", conversation)}`);
	return say(current.id, `  ${homePath(current.path)}`);
}

async function startNew(conversation: ConversationControl): Promise<Reply> {
	const result = await conversation.startNew();
	if (!result.ok) return refuse(result.problem);
	if (result.left === undefined) return say(`There was no conversation to leave: ${nextStarts("one", conversation)}`);
	return say(`Conversation ${result.left} is left as it is: ${nextStarts("a new one", conversation)}`);
}

async function use(conversation: ConversationControl, id: string): Promise<Reply> {
	const result = await conversation.use(id);
	if (!result.ok) return refuse(result.problem);
	const told = conversation.hasHistory() ? ", which is told what it has not seen of this session" : "";
	return say(`The next turn continues conversation ${id}${told}.`);
}

export const clearCommand: SubCommand = {
	name: "clear",
	usage: "",
	summary: "Forget all agy conversations of this session, also of its other branches; agy's own files stay",
	async run(words, { conversation }) {
		if (words.length > 0) return misused(clearCommand);
		const result = await conversation.clear();
		if (!result.ok) return refuse(result.problem);
		const { forgotten } = result;
		if (forgotten === 0) return say(`There was no conversation to forget: ${nextStarts("one", conversation)}`);
		const which = forgotten === 1 ? "The agy conversation" : `All ${forgotten} agy conversations`;
		return say(
			`${which} of this session ${forgotten === 1 ? "is" : "are"} forgotten: ${nextStarts("a new one", conversation)}`,
		);
	},
};

/** What comes where no conversation goes on. */
function nextStarts(what: string, conversation: ConversationControl): string {
	return `the next turn starts ${what}${conversation.hasHistory() ? ", which is told what was said here" : ""}.`;
}
