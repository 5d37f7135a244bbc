import { join } from "node:path";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { SessionBridge } from "../bridge/session-bridge.ts";
import type { AgyProbe, BridgeProbe, DecodingProbe, Probes } from "../command/environment.ts";
import { messageOf } from "../engine/thrown.ts";
import { resolveAlias } from "../models/alias.ts";
import { API_ID, PROVIDER_ID } from "../models/catalogue-model.ts";
import { failureText } from "../provider/failure-text.ts";
import { FLOOR, formatVersion } from "../run/agy/agy-features.ts";
import { newestConversations } from "../run/binding/conversation-folder.ts";
import type { IdleParts } from "../run/binding/idle-conversation.ts";
import { changesAreToldBy, countSteps } from "../run/binding/inspect-conversation.ts";
import type { AgyAccess } from "./agy-access.ts";
import { agyCommands } from "./command-names.ts";
import type { RealParts } from "./parts.ts";

export interface ProbeParts extends Pick<RealParts, "catalogue" | "clock" | "engine" | "env" | "settings"> {
	readonly agy: AgyAccess;
	/** That of the session; undefined when none has started. */
	readonly bridge: SessionBridge | undefined;
	/** What is needed to look at a conversation that nobody works on. */
	idle(): IdleParts;
}

/** Looks at the machine and at pi for `/agy status` and `/agy doctor`. */
export function createProbes(pi: ExtensionAPI, ctx: ExtensionContext, parts: ProbeParts): Probes {
	const { agy, env, settings } = parts;
	const folders = () => agy.folders();
	return {
		agy: () => probeAgy(parts),
		cwd: ctx.cwd,
		env,
		get geminiDir() {
			return folders().gemini;
		},
		decoding: () => probeDecoding(parts),
		fileEvents: () => changesAreToldBy(folders().conversations, settings().fileEvents),
		bridge: () => probeBridge(ctx, parts),
		conflicts: () => [...otherProviders(ctx), ...agyCommands(pi).others.map(({ name, path }) => `/${name} of ${path}`)],
	};
}

async function probeBridge(
	ctx: ExtensionContext,
	{ catalogue, engine, clock, bridge }: ProbeParts,
): Promise<BridgeProbe> {
	try {
		// Any model will do, so the one that costs least.
		const found = resolveAlias(catalogue.entries(), "flash", "low", catalogue.isComplete());
		const run = { cwd: ctx.cwd, ...("choice" in found && { model: found.choice }) };
		const result = await bridge?.selfTest(engine, run);
		switch (result?.kind) {
			case undefined:
				return { kind: "not-offered" };
			case "connected":
				return { kind: "connected", by: result.by, seconds: result.ms / 1000 };
			case "not-connected":
				return { kind: "not-connected" };
			case "failed":
				return { kind: "failed", cause: failureText(result.failure, false, clock.now()) };
		}
	} catch (error) {
		return { kind: "failed", cause: messageOf(error) };
	}
}

async function probeAgy({ agy, clock }: ProbeParts): Promise<AgyProbe> {
	const location = agy.locate();
	if (location.kind === "missing") return { found: false, searched: location.searched };
	const { path } = location;
	const read = await agy.version(path);
	if (read.kind === "failed") {
		const { failure } = read;
		const cause = failure.kind === "cannot-start" ? failure.cause : failureText(failure, false, clock.now());
		return { found: "broken", path, cause };
	}
	const { version, belowFloor } = read.features;
	if (version === undefined) return { found: "unnamed", path };
	const old = belowFloor ? { tooOldFor: { floor: FLOOR } } : {};
	return { found: true, path, version: formatVersion(version), ...old };
}

/** So many of the newest conversations are tried before all count as in use. */
const CANDIDATES = 5;

async function probeDecoding({ idle }: ProbeParts): Promise<DecodingProbe> {
	const access = idle();
	const newest = (await newestConversations(access.folder)).slice(0, CANDIDATES);
	for (const [index, { id }] of newest.entries()) {
		const waitMs = index === 0 ? access.waitMs : 0;
		try {
			const result = await countSteps(id, { ...access, waitMs });
			if (result.kind === "done") return { kind: "decoded", id, ...result.value };
		} catch (error) {
			return {
				kind: "failed",
				path: join(access.folder, `${id}.db`),
				cause: messageOf(error),
			};
		}
	}
	return newest.length === 0 ? { kind: "none" } : { kind: "in-use" };
}

/** pi keeps one provider for a name: the last one that was registered. The api tells whose it is. */
function otherProviders({ modelRegistry }: ExtensionContext): string[] {
	const config = modelRegistry.getRegisteredProviderConfig(PROVIDER_ID);
	const native = modelRegistry.getRegisteredNativeProvider(PROVIDER_ID);
	const isOurs = native === undefined || native.getModels().every((model) => model.api === API_ID);
	const names = [config && (config.name ?? PROVIDER_ID), isOurs ? undefined : native.name];
	return names.flatMap((name) => (name === undefined ? [] : [`the provider "${name}"`]));
}
