// A process of its own that records one conversation after the other: `node store-writer.mjs <folder> <session> <name> <count>`.
import { createSessionStore } from "../../../src/conversation/session-store.ts";

const [folder, sessionId, name, count] = process.argv.slice(2);
const store = createSessionStore({ folder, clock: { now: () => Date.now(), after: () => () => {} } });
for (let index = 0; index < Number(count); index++) {
	await store.update(sessionId, (record) => ({
		...record,
		bindings: [
			...record.bindings,
			{
				conversationId: `${name}-${index}`,
				seen: [],
				state: "clean",
				lastStep: index,
				family: "gemini",
				cwd: "/project",
				instructions: "",
				updatedAt: index,
			},
		],
	}));
}
