import {
	type Api,
	type AssistantMessageEventStream,
	createAssistantMessageEventStream,
	type Model,
	type Provider,
	type SimpleStreamOptions,
	type TranscriptContext,
} from "@earendil-works/pi-ai";
import type { Failure } from "../engine/failure.ts";
import { messageOf } from "../engine/thrown.ts";
import type { ModelCatalogue } from "../models/catalogue.ts";
import { type AntigravityModel, type API_ID, PROVIDER_ID } from "../models/catalogue-model.ts";
import { refreshModels } from "../models/refresh.ts";
import { MessageWriter } from "./message-writer.ts";
import type { TurnCall } from "./turn.ts";

export interface ProviderOptions {
	readonly catalogue: Pick<ModelCatalogue, "models" | "restore" | "refresh">;
	/** Looks for the agy binary; cheap, asked several times at each start. Undefined when it is there. */
	findAgyProblem(): Failure | undefined;
	/**
	 * True when a person can be told in pi's interface why the models are missing. Otherwise they stay listed, and the first
	 * request says it.
	 */
	hidesWithoutAgy(): boolean;
	/** Answers one call; the message is ended by it, or failed here when it throws. */
	run(call: TurnCall): Promise<void>;
	/** An error that should not have happened; the person is told only that there was one. */
	unexpected?(error: unknown): void;
	/** Milliseconds since the epoch. */
	now(): number;
}

/** pi's provider for Antigravity. agy is signed in by itself, so there is no key. */
export function createAntigravityProvider(options: ProviderOptions): Provider<typeof API_ID> {
	const stream = (
		model: Model<Api>,
		context: TranscriptContext,
		streamOptions: SimpleStreamOptions = {},
	): AssistantMessageEventStream => startStream(options, model, context, streamOptions);
	return {
		id: PROVIDER_ID,
		name: "Antigravity",
		auth: {
			apiKey: {
				name: "agy sign-in",
				// There is no key. Having an entry makes pi count on the models from the first moment of its start.
				async login() {
					const problem = options.findAgyProblem();
					if (problem === undefined) return { type: "api_key" };
					const { failureText } = await import("./failure-text.ts");
					throw new Error(failureText(problem, false, options.now()));
				},
				async check() {
					if (options.findAgyProblem() !== undefined && options.hidesWithoutAgy()) return undefined;
					return { type: "api_key", source: "agy" };
				},
				// Also without agy: what is said then comes with the turn, in our words. pi would speak of a key.
				async resolve() {
					return { auth: {}, source: "agy" };
				},
			},
		},
		getModels: (): readonly AntigravityModel[] => options.catalogue.models(),
		refreshModels: (context) => refreshModels(options.catalogue, context),
		stream,
		streamSimple: stream,
	};
}

function startStream(
	options: ProviderOptions,
	model: Model<Api>,
	context: TranscriptContext,
	streamOptions: SimpleStreamOptions,
): AssistantMessageEventStream {
	const stream = createAssistantMessageEventStream();
	const writer = new MessageWriter(stream, model, options.now());
	writer.start();
	const { signal } = streamOptions;
	const abort = () => writer.abort();
	signal?.addEventListener("abort", abort, { once: true });
	if (signal?.aborted) abort();
	else {
		options
			.run({ model, context, options: streamOptions, writer })
			.catch(async (error: unknown) => {
				options.unexpected?.(error);
				writer.fail(await unexpectedText(error));
			})
			// From here on the run watches the signal, until the process is gone.
			.finally(() => signal?.removeEventListener("abort", abort));
	}
	return stream;
}

async function unexpectedText(error: unknown): Promise<string> {
	const plain = "pi-antigravity-cli failed; the log has the reason.";
	try {
		const { finalText } = await import("./failure-text.ts");
		return finalText(`pi-antigravity-cli failed: ${messageOf(error)}`, plain);
	} catch {
		// The package was replaced while pi runs, which may be what failed in the first place.
		return plain;
	}
}
