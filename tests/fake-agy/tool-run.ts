import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Plain, wrapStep } from "../support/agy-proto.ts";
import { denialOutcome, TurnEnd } from "./outcomes.ts";
import { now, SOURCE, STATUS, type StepRow, TYPE } from "./steps.ts";
import type { ToolPlan } from "./tools.ts";
import type { TurnContext } from "./turn-context.ts";
import { compareVersions } from "./versions.ts";

const ONE_PIXEL_PNG =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** A tool's row on its way from PENDING to its end. */
export class ToolRun {
	readonly row: StepRow;
	readonly plan: ToolPlan;
	readonly #turn: TurnContext;
	readonly #started = Date.now();
	readonly #generic: boolean;

	constructor(turn: TurnContext, plan: ToolPlan) {
		this.#turn = turn;
		this.plan = plan;
		this.#generic = turn.options.genericTools && plan.field !== "generic" && plan.field !== "";
		this.row = turn.conversation.row(this.#generic ? TYPE.generic : plan.type, SOURCE.model);
		if (plan.field === "") this.row.trailer = FUTURE_FIELD;
		Object.assign(this.row.metadata, {
			toolCall: plan.call.message,
			argumentsOrder: Object.keys(plan.call.args),
			toolSummary: plan.summary,
			toolAction: plan.action,
			toolCallOutputTokens: 40,
		});
	}

	/** The first commit: PENDING, before the planner row that called it is DONE. */
	async pend(): Promise<void> {
		const { placeholder } = this.#turn.options;
		if (placeholder !== "none") {
			this.row.commitPlaceholder(STATUS.pending, placeholder);
			await this.#turn.breathe();
		}
		this.row.metadata.viewableAt = now();
		this.row.metadata.finishedGeneratingAt = now();
		this.#fill(this.plan.start, undefined);
		await this.#commit(STATUS.pending);
	}

	/** From PENDING to the end, or to RUNNING for one that goes on in the background. `work` is what it really does. */
	async run(extra: Plain = {}, work?: () => Promise<{ extra: Plain; output: string }>): Promise<void> {
		const { options, permission } = this.plan;
		if (options.hookDenied) return this.#deny("tool call denied by pre-tool hook:");
		const refused = permission !== undefined && !this.#turn.options.skipPermissions && this.#asks(permission.action);
		if (this.#generic) await this.#commit(STATUS.running);
		if (options.permission || refused) await this.#ask();
		if (refused) return this.#refuse();
		this.#say("ACTIVE", {});
		await this.#commit(STATUS.running);
		for (const stage of this.plan.stages) {
			if ("gate" in stage) {
				await this.#turn.play([stage.gate]);
				continue;
			}
			this.#fill({ ...this.plan.start, ...stage.content }, undefined);
			await this.#commit(STATUS.running);
		}
		await this.#turn.play(options.during ?? []);
		const done = await work?.();
		if (options.background === undefined) await this.end({ ...extra, ...done?.extra }, done?.output);
	}

	/** The last commit, with the result. */
	async end(extra: Plain = {}, output = this.plan.output): Promise<void> {
		const { options } = this.plan;
		if (options.error !== undefined) return this.#fail(options.error);
		if (options.canceled) return this.cancel();
		this.#fill({ ...this.plan.end, ...this.#made(), ...extra }, output);
		await this.#commit(STATUS.done);
		this.#say("DONE", { output });
	}

	async cancel(): Promise<void> {
		await this.#commit(STATUS.canceled);
		this.#say("DONE", { error: { type: "TOOL_CANCELED", message: "canceled" } });
	}

	/** Tells stdout where a subagent writes. */
	announceSubagent(conversationId: string, logUri: string): void {
		this.#say("ACTIVE", { subagent_info: { conversation_id: conversationId, log_uri: logUri } });
	}

	async #commit(status: number): Promise<void> {
		this.row.commit(status);
		await this.#turn.breathe();
	}

	#fill(content: Plain, result: string | undefined): void {
		if (this.plan.field === "") return;
		if (!this.#generic) {
			this.row.body = { [this.plan.field]: content };
			return;
		}
		const args = Object.fromEntries(
			Object.entries(this.plan.call.args).map(([name, value]) => [
				name,
				typeof value === "string" ? value : JSON.stringify(value),
			]),
		);
		const status = result === undefined ? STATUS.running : STATUS.done;
		const payload = wrapStep({ type: this.plan.type, status, [this.plan.field]: content });
		const stepRenderInfo = { title: this.plan.summary, titlePrefix: "Tool", icon: "build" };
		this.row.body = { generic: { args, result: { result, stepRenderInfo, payload } } };
	}

	/** What only exists once the tool has run: an image's file. */
	#made(): Plain {
		if (this.plan.field !== "generateImage") return {};
		const conversation = this.#turn.conversation;
		const file = join(conversation.options.paths.brain(conversation.id), `${String(this.plan.start.imageName)}.png`);
		const bytes = Buffer.from(ONE_PIXEL_PNG, "base64");
		writeFileSync(file, bytes);
		const uri = pathToFileURL(file).href;
		return { imagePaths: [file], generatedMedia: { mimeType: "image/png", uri, inlineData: new Uint8Array(bytes) } };
	}

	#asks(action: string): boolean {
		const { version } = this.#turn.options;
		if (action !== "write_file") return true;
		return compareVersions(version, "1.1.3") >= 0 && compareVersions(version, "1.3.0") < 0;
	}

	/** WAITING, with the request in the row; it stays there after the answer. */
	async #ask(): Promise<void> {
		const { permission } = this.plan;
		const resource = { action: permission?.action ?? "command", target: permission?.target ?? this.plan.summary };
		const request = {
			permission: {
				resource,
				suggestedPersistPattern: resource.target,
				persistSuggestionType: 1,
				actionDescription: this.plan.action,
			},
		};
		this.row.envelope.requestedInteraction = request;
		await this.#commit(STATUS.waiting);
		if (this.plan.permission !== undefined && !this.#turn.options.skipPermissions) return;
		const answer = {
			trajectoryId: this.#turn.conversation.trajectoryId,
			stepIndex: this.row.idx,
			permission: { allow: true },
		};
		this.row.envelope.completedInteractions = [{ request, response: answer }];
		this.row.envelope.permissions = { permissionGrants: [{ resource, allow: true }] };
	}

	async #refuse(): Promise<void> {
		const { permission, options } = this.plan;
		if (permission === undefined) return;
		this.#turn.denied.push({ action: permission.action, display_name: permission.displayName });
		await this.#deny(`User denied permission to run ${permission.action}: ${permission.target}`);
		if (options.onDenied !== undefined) await this.#turn.play(options.onDenied);
		throw new TurnEnd(denialOutcome(this.#turn.abilities, permission.action, this.#turn.stdout.response === ""));
	}

	async #deny(message: string): Promise<void> {
		await this.#fail(message);
	}

	async #fail(message: string): Promise<void> {
		this.row.envelope.error = {
			userErrorMessage: message,
			shortError: message,
			fullError: `${message} (step ${this.row.idx})`,
		};
		await this.#commit(STATUS.error);
		this.#say("DONE", { error: { type: "TOOL_ERROR", message } });
	}

	#say(state: "ACTIVE" | "DONE", details: Record<string, unknown>): void {
		const { output, ...rest } = details;
		const { name, args } = this.plan.call;
		this.#turn.stdout.step({
			step_index: this.row.idx,
			state,
			step_type: "tool",
			tool_name: name,
			tool_info: { name, parameters: args, ...(output === undefined ? {} : { output }) },
			...(state === "DONE" ? { duration_seconds: (Date.now() - this.#started) / 1000 } : {}),
			...rest,
		});
	}
}

/** Field 900, length-delimited, nine bytes: nothing of agy's has that number. */
const FUTURE_FIELD = new Uint8Array([0xa2, 0x38, 9, ...Buffer.from("tomorrow!")]);
