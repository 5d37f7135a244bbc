import { type SubCommand, say } from "../sub-command.ts";

/** Needs the table it stands in. */
export function helpCommand(all: () => readonly SubCommand[]): SubCommand {
	return {
		name: "help",
		usage: "",
		summary: "List what /agy can do",
		async run() {
			const left = (command: SubCommand) => `/agy ${command.name} ${command.usage}`.trimEnd();
			const width = Math.max(...all().map((command) => left(command).length));
			return say(
				...all().map((command) => `${left(command).padEnd(width)}  ${command.summary}`),
				"`/agy` alone opens the settings in pi's own interface, and is `/agy status` elsewhere.",
			);
		},
	};
}
