import type { Abilities } from "./versions.ts";

/** A slash command that agy answers itself: no turn, no conversation, no tokens. */
export interface SlashAnswer {
	name: string;
	data: unknown;
	text: string;
}

const DAY = 86_400_000;

/** The answer, or undefined when the prompt goes to the model. */
export function slashAnswer(prompt: string, abilities: Abilities, version: string): SlashAnswer | undefined {
	const [, name] = /^\/([a-z]+)\s*$/.exec(prompt.trim()) ?? [];
	if (name === undefined || !abilities.slashAnswers) return undefined;
	if (name === "usage" || name === "quota") return usageAnswer();
	if (["model", "effort", "skills", "credits"].includes(name)) return plain(name);
	return version !== "1.1.11" && ["permissions", "hooks", "help", "changelog", "config"].includes(name)
		? plain(name)
		: undefined;
}

function plain(name: string): SlashAnswer {
	return { name, data: {}, text: `/${name}: the stand-in has nothing to tell\n` };
}

function usageAnswer(): SlashAnswer {
	const pools: [string, string, number, number][] = [
		["Gemini Models", "gemini", 1, 0.82],
		["Claude and GPT models", "claude-gpt", 0.4, 0],
	];
	const groups = pools.map(([name, id, weekly, hours]) => ({
		name,
		buckets: [bucket(`${id}-weekly`, "weekly", weekly, 3 * DAY), bucket(`${id}-5h`, "5h", hours, DAY / 8)],
	}));
	const rows = groups.flatMap((group) =>
		group.buckets.map((b) => [group.name, b.window, b.remaining_fraction, b.reset_time].join("\t")),
	);
	return { name: "usage", data: { groups }, text: `${rows.join("\n")}\n` };
}

function bucket(id: string, window: string, remaining: number, resetsIn: number) {
	const reset = new Date(Date.now() + resetsIn).toISOString().replace(/\.\d+Z$/, "Z");
	return { id, window, remaining_fraction: remaining, reset_time: reset };
}
