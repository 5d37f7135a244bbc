import type { Scenario } from "./scenario.ts";

/** Played when no scenario is chosen: an answer that shows a newcomer how things arrive, and says who gave it. */
export const friendly: Scenario = {
	about: "An answer to any prompt",
	pace: 30,
	turns: [[...answer(), { checkpoint: "A first look at the stand-in" }], answer()],
};

function answer(): NonNullable<Scenario["steps"]> {
	return [
		{ think: ["The user wrote to me. ", "I am only the stand-in for agy, ", "so I say so and repeat the prompt."] },
		{
			say: [
				"Hello! ",
				"This is the **stand-in for agy**, ",
				"not a model: ",
				"no request has left this machine. ",
				"You asked:\n\n",
				"> {{prompt}}\n\n",
				"With the real agy installed and signed in, ",
				"its answer would have streamed in here, ",
				"piece by piece, as this one did.",
			],
		},
	];
}
