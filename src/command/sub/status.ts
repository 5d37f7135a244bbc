import { formatAge } from "../../words/duration.ts";
import { homePath } from "../../words/home-path.ts";
import type { AgyProbe, CommandEnvironment } from "../environment.ts";
import { misused, type SubCommand, say } from "../sub-command.ts";
import { describeSource } from "./models.ts";

export const statusCommand: SubCommand = {
	name: "status",
	usage: "",
	summary: "Show versions, models, settings, conversation and the last turn",
	async run(words, env) {
		if (words.length > 0) return misused(statusCommand);
		const rows = await statusRows(env);
		const width = Math.max(...rows.map(([label]) => label.length));
		return say(...rows.map(([label, value]) => `${label.padEnd(width)}  ${value}`));
	},
};

async function statusRows(env: CommandEnvironment): Promise<[string, string][]> {
	const { settings, catalogue, clock } = env;
	const { mode, permissions, display, toolsRunIn } = settings.current();
	const conversation = await env.conversation.current();
	const problems = settings.problems().length;
	const bound: [string, string][] =
		conversation === undefined
			? [["conversation", "none; the next turn starts one"]]
			: [
					["conversation", conversation.id],
					["", homePath(conversation.path)],
				];
	return [
		["agy", describeAgy(await env.probes.agy())],
		["pi", env.piVersion],
		["engine", env.engineName],
		["models", `${catalogue.entries().length}, ${describeSource(catalogue.source(), clock.now())}`],
		["mode", mode],
		["permissions", permissions],
		["display", display],
		["tools run in", toolsRunIn === "pi" ? "pi (agy's own are switched off)" : "agy"],
		...bound,
		["last turn", describeLastTurn(env)],
		...(problems === 0 ? [] : [problemRow(problems)]),
	];
}

function problemRow(count: number): [string, string] {
	return ["settings", `${count} ${count === 1 ? "entry is" : "entries are"} wrong; see /agy doctor`];
}

function describeAgy(probe: AgyProbe): string {
	switch (probe.found) {
		case true: {
			const old = probe.tooOldFor === undefined ? "" : `, too old: ${probe.tooOldFor.floor} is needed`;
			return `${probe.version} (${homePath(probe.path)})${old}`;
		}
		case false:
			return "not found; see /agy doctor";
		case "unnamed":
			return `${homePath(probe.path)}, which does not say its version; see /agy doctor`;
		case "broken":
			return `${probe.path} does not work: ${probe.cause}`;
	}
}

function describeLastTurn(env: CommandEnvironment): string {
	const turn = env.lastTurn();
	if (turn === undefined) return "none yet";
	return `${turn.summary} (${formatAge(env.clock.now() - turn.endedAt)})`;
}
