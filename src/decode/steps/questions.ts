import type { ToolBody } from "../step-types.ts";
import type { ToolFacts } from "../tool-facts.ts";
import type { Message } from "../wire.ts";
import { argsOf } from "./args.ts";

type Question = ToolBody["questions"][number];

/** CortexStepAskQuestion. The answers may stand in the step itself; see `answeredQuestions` for the other place. */
export function askQuestion(body: Message): ToolFacts {
	return {
		kind: "question",
		get args() {
			return argsOf({ questions: body.messages(1).map((entry) => entry.text(1)) });
		},
		get summary() {
			const entries = body.messages(1);
			const more = entries.length > 1 ? ` (+${entries.length - 1})` : "";
			return `${entries[0]?.text(1) ?? ""}${more}`;
		},
	};
}

/** The first question of a list of AskQuestionEntry. */
export function firstQuestion(asked: readonly Message[]): string {
	return asked[0]?.text(1) ?? "";
}

/**
 * Questions with their answers, both lists of AskQuestionEntry {1 question, 2 options {1 id, 2 text}, 4 selected_option_ids,
 * 5 write_in_response, 6 skipped}. A response repeats the question but not the options, so the chosen ids are looked up in
 * what was asked. Without a response the entry that was asked may hold its own answer.
 */
export function answeredQuestions(asked: readonly Message[], responses: readonly Message[]): Question[] {
	return asked.map((entry, index) => {
		const question = entry.text(1);
		const response = responses.find((other) => other.text(1) === question) ?? responses[index] ?? entry;
		return { question, answers: answersOf(response, entry.messages(2)) };
	});
}

/** Questions and answers as text, for the output of the step. */
export function questionsText(questions: readonly Question[]): string | undefined {
	const answered = questions.filter(({ answers }) => answers.length > 0);
	return answered.map(({ question, answers }) => `${question}\n→ ${answers.join(", ")}`).join("\n") || undefined;
}

function answersOf(response: Message, options: readonly Message[]): string[] {
	if (response.flag(6)) return [];
	const chosen = response.texts(4).map((id) => options.find((option) => option.text(1) === id)?.text(2) ?? id);
	return [...chosen, response.text(5)].filter(Boolean);
}
