import { bridgeCommand } from "./sub/bridge.ts";
import { displayCommand, modeCommand, permissionsCommand, thinkingCommand } from "./sub/choices.ts";
import { clearCommand, conversationCommand } from "./sub/conversation.ts";
import { doctorCommand } from "./sub/doctor.ts";
import { helpCommand } from "./sub/help.ts";
import { logsCommand } from "./sub/logs.ts";
import { modelCommand } from "./sub/model.ts";
import { modelsCommand } from "./sub/models.ts";
import { quotaCommand } from "./sub/quota.ts";
import { statusCommand } from "./sub/status.ts";
import type { SubCommand } from "./sub-command.ts";

/** All of `/agy`, in the order in which people see it. */
export const subCommands: readonly SubCommand[] = [
	statusCommand,
	doctorCommand,
	modeCommand,
	permissionsCommand,
	modelCommand,
	thinkingCommand,
	modelsCommand,
	quotaCommand,
	displayCommand,
	conversationCommand,
	clearCommand,
	logsCommand,
	bridgeCommand,
	helpCommand(() => subCommands),
];
