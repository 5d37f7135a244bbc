import { join } from "node:path";
import type { Message } from "@earendil-works/pi-ai";
import type { ConversationControl } from "../command/environment.ts";
import { currentBinding, type Transcript, withChosen, withoutCurrent } from "../conversation/choose.ts";
import { fingerprints } from "../conversation/fingerprint.ts";
import type { SessionStore } from "../conversation/session-store.ts";
import { readTranscript } from "../conversation/transcript.ts";
import type { Clock } from "../engine/clock.ts";
import { contains } from "../files/contains.ts";
import { PROVIDER_ID } from "../models/catalogue-model.ts";
import { realFolder } from "../run/agy/data-folders.ts";
import { newestConversations } from "../run/binding/conversation-folder.ts";
import type { IdleParts } from "../run/binding/idle-conversation.ts";
import { workspacesOf } from "../run/binding/inspect-conversation.ts";
import type { EarlierDelegations } from "../tools/ask-antigravity/earlier.ts";
import { homePath } from "../words/home-path.ts";

/** The pi session whose conversations are controlled. */
export interface ControlledSession {
	readonly id: string;
	/** Absolute. */
	readonly cwd: string;
	/** True while a run of its turn is alive: its end would overwrite what is changed here. */
	isWorking(): boolean;
	/** What the branch holds, as models see it. */
	messages(): readonly Message[];
	/** The family of the selected model; empty when it is not one of agy's. */
	family(): string;
}

export interface ControlParts {
	readonly store: SessionStore;
	readonly delegations: Pick<EarlierDelegations, "forget">;
	readonly clock: Clock;
	idle(): IdleParts;
}

const WORKING = "agy is working in this session. Wait for it, or stop it with Escape.";
/** So many conversations are offered as completions. */
const OFFERED = 20;

/** `/agy conversation` and `/agy clear`, on the records that turns go by. */
export function createConversationControl(session: ControlledSession, parts: ControlParts): ConversationControl {
	const { store, clock } = parts;
	const pathOfConversation = (id: string) => join(parts.idle().folder, `${id}.db`);
	const transcript = (): Transcript => fingerprints(readTranscript(session.messages(), PROVIDER_ID));

	return {
		async current() {
			const binding = currentBinding(await store.read(session.id), transcript());
			if (binding === undefined) return undefined;
			return { id: binding.conversationId, path: pathOfConversation(binding.conversationId) };
		},
		hasHistory: () => transcript().length > 0,
		async startNew() {
			if (session.isWorking()) return { ok: false, problem: WORKING };
			const left = currentBinding(await store.read(session.id), transcript())?.conversationId;
			if (left === undefined) return { ok: true };
			await store.update(session.id, (record) => withoutCurrent(record, transcript()));
			return { ok: true, left };
		},
		async use(id) {
			if (session.isWorking()) return { ok: false, problem: WORKING };
			const problem = await problemWith(id, session.cwd, parts.idle());
			if (problem !== undefined) return { ok: false, problem };
			// A session and a delegation never speak into one conversation.
			await parts.delegations.forget(id);
			const chosen = { id, family: session.family(), cwd: session.cwd, now: clock.now() };
			await store.update(session.id, (record) => withChosen(record, transcript(), chosen));
			return { ok: true };
		},
		async clear() {
			if (session.isWorking()) return { ok: false, problem: WORKING };
			const { bindings } = await store.read(session.id);
			if (bindings.length > 0) await store.update(session.id, (record) => ({ ...record, bindings: [] }));
			return { ok: true, forgotten: bindings.length };
		},
		recent: async () => (await newestConversations(parts.idle().folder)).slice(0, OFFERED),
	};
}

/** Why conversation `id` cannot be continued in `cwd`, as a sentence; undefined when it can. */
async function problemWith(id: string, cwd: string, idle: IdleParts): Promise<string | undefined> {
	const ids = `The ids are the names of the files in ${homePath(idle.folder)}.`;
	// The id becomes a file name.
	if (!/^[\w-]+$/.test(id)) return `"${id}" is not the id of a conversation. ${ids}`;
	const found = await workspacesOf(id, idle);
	if (found.kind === "missing") return `There is no conversation ${id}. ${ids}`;
	if (found.kind === "in-use") return `Conversation ${id} is in use. Close the agy that works on it first.`;
	const folders = found.value;
	const inside = await Promise.all(
		folders.map(async (folder) => contains(await realFolder(folder), await realFolder(cwd))),
	);
	if (folders.length === 0 || inside.includes(true)) return undefined;
	return `Conversation ${id} belongs to ${folders.join(", ")}. Start pi there to continue it.`;
}
