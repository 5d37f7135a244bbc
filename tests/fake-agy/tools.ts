import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { Plain } from "../support/agy-proto.ts";
import { codeAction, deletion } from "./code-action.ts";
import type { ControlStep, RunSpec, ToolOptions, ToolStep, ToolSteps } from "./scenario.ts";
import { TYPE } from "./steps.ts";

/** A tool as the model called it. */
export interface ToolCall {
	name: string;
	args: Record<string, unknown>;
	/** The ChatToolCall message; the same id is in the planner row and in the tool's own. */
	message: Plain;
}

/** How one tool of a scenario becomes a row. */
export interface ToolPlan {
	call: ToolCall;
	type: number;
	/** The payload's field for this type. */
	field: string;
	/** What the row holds from its first commit on. */
	start: Plain;
	/** What it holds after each stage of running; gates are played between them. */
	stages: ({ content: Plain } | { gate: ControlStep })[];
	/** What it holds when it is done. */
	end: Plain;
	/** The result as text, for stdout and for a GENERIC row. */
	output: string;
	/** What agy wants to be allowed for it, if anything. */
	permission: { action: string; target: string; displayName: string } | undefined;
	summary: string;
	action: string;
	options: ToolOptions;
}

type Shape = Pick<ToolPlan, "type" | "field" | "start" | "end" | "output"> &
	Partial<Pick<ToolPlan, "stages" | "permission">> & {
		name: string;
		args: Record<string, unknown>;
		summary: string;
	};

/** The plan for a tool step. Paths are as the scenario has them; relative ones are under `cwd`. */
export function planTool(step: ToolStep, cwd: string): ToolPlan {
	const options: ToolOptions = Object.values(step)[0];
	const shape = shapeOf(step, cwd);
	const summary = options.summary ?? shape.summary;
	const action = options.action ?? shape.summary;
	const args = { ...shape.args, toolAction: action, toolSummary: summary };
	return {
		call: { name: shape.name, args, message: callMessage(shape.name, args) },
		type: shape.type,
		field: shape.field,
		start: shape.start,
		stages: shape.stages ?? [],
		end: { ...shape.start, ...shape.end },
		output: shape.output,
		permission: shape.permission,
		summary,
		action,
		options,
	};
}

function shapeOf(step: ToolStep, cwd: string): Shape {
	if ("run" in step) return run(step.run, cwd);
	if ("edit" in step) return codeAction({ ...step.edit, file: absolute(step.edit.file, cwd) });
	if ("newFile" in step) {
		return codeAction({ ...step.newFile, file: absolute(step.newFile.file, cwd), after: step.newFile.content });
	}
	if ("delete" in step) return deletion({ ...step.delete, file: absolute(step.delete.file, cwd) });
	if ("view" in step) return view({ ...step.view, file: absolute(step.view.file, cwd) });
	if ("list" in step) return list({ ...step.list, directory: absolute(step.list.directory, cwd) });
	if ("grep" in step) return grep({ ...step.grep, path: absolute(step.grep.path, cwd) });
	if ("find" in step) return find({ ...step.find, directory: absolute(step.find.directory, cwd) });
	if ("mcp" in step) return mcp(step.mcp);
	if ("callMcp" in step) return mcp({ server: "pi_tools", ...step.callMcp });
	if ("web" in step) return web(step.web);
	if ("url" in step) return url(step.url);
	if ("subagent" in step) return subagent(step.subagent);
	if ("generic" in step) return generic(step.generic);
	if ("question" in step) return question(step.question);
	if ("image" in step) return image(step.image);
	return unknown(step.unknown);
}

function run(spec: RunSpec, cwd: string): Shape {
	const directory = spec.cwd ?? cwd;
	const chunks = spec.output ?? [];
	const stages: ToolPlan["stages"] = [];
	let full = "";
	for (const [index, chunk] of chunks.entries()) {
		if (typeof chunk !== "string") {
			stages.push({ gate: chunk });
			continue;
		}
		full += chunk;
		if (index < chunks.length - 1) stages.push({ content: { combinedOutputSnapshot: { full } } });
	}
	if (spec.outputBytes !== undefined) {
		const line = full === "" ? "all work and no play\n" : full;
		full = line.repeat(Math.ceil(spec.outputBytes / line.length)).slice(0, spec.outputBytes);
	}
	const output = { full, truncated: spec.truncated, numLinesAbove: spec.linesAbove };
	return {
		name: "run_command",
		args: { CommandLine: spec.command, Cwd: directory, WaitMsBeforeAsync: 5000 },
		type: TYPE.runCommand,
		field: "runCommand",
		start: {
			cwd: directory,
			blocking: true,
			waitMsBeforeAsync: 5000,
			commandLine: spec.command,
			proposedCommandLine: spec.command,
			shellName: "bash",
		},
		stages,
		end: { combinedOutput: output, exitCode: spec.exitCode ?? 0 },
		output: full,
		permission: { action: "command", target: spec.command, displayName: "RunCommand" },
		summary: `Run ${spec.command}`,
	};
}

function view(spec: ToolSteps["view"]): Shape {
	const content = spec.content ?? "";
	const lines = spec.lines ?? content.split("\n").length;
	const bytes = Buffer.byteLength(content);
	const range = { startLine: spec.startLine ?? 0, endLine: spec.endLine ?? Math.max(0, lines - 1) };
	return {
		name: "view_file",
		args: {
			AbsolutePath: spec.file,
			...(spec.startLine === undefined ? {} : { StartLine: range.startLine, EndLine: range.endLine }),
		},
		type: TYPE.viewFile,
		field: "viewFile",
		start: { absolutePathUri: pathToFileURL(spec.file).href, ...range },
		end: { content, numLines: lines, numBytes: bytes, lineRangeBytes: bytes },
		output: content,
		summary: `View ${spec.file}`,
	};
}

function list(spec: ToolSteps["list"]): Shape {
	const results = spec.entries.map(({ name, size, directory }) => ({ name, isDir: directory, sizeBytes: size }));
	return {
		name: "list_dir",
		args: { DirectoryPath: spec.directory },
		type: TYPE.listDirectory,
		field: "listDirectory",
		start: { directoryPathUri: pathToFileURL(spec.directory).href },
		end: { results },
		output: spec.entries.map(({ name, directory }) => `${name}${directory ? "/" : ""}`).join("\n"),
		summary: `List ${spec.directory}`,
	};
}

function grep(spec: ToolSteps["grep"]): Shape {
	const hits = spec.hits ?? [];
	const raw = hits.map(({ file, line, text }) => `${file}:${line}:${text}`).join("\n");
	const results = hits.map(({ file, line, text }) => ({ relativePath: file, lineNumber: line, content: text }));
	return {
		name: "grep_search",
		args: { Query: spec.query, SearchPath: spec.path, MatchPerLine: true },
		type: TYPE.grep,
		field: "grepSearch",
		start: { query: spec.query, searchPathUri: pathToFileURL(spec.path).href, matchPerLine: true },
		end: { rawOutput: raw, results, totalResults: hits.length, commandRun: `rg --json ${spec.query}` },
		output: raw,
		summary: `Search "${spec.query}"`,
	};
}

function find(spec: ToolSteps["find"]): Shape {
	const found = spec.found ?? [];
	return {
		name: "find_by_name",
		args: { Pattern: spec.pattern, SearchDirectory: spec.directory },
		type: TYPE.find,
		field: "find",
		start: { pattern: spec.pattern, searchDirectory: spec.directory },
		end: { totalResults: found.length, rawOutput: found.join("\n"), commandRun: `fd ${spec.pattern}` },
		output: found.join("\n"),
		summary: `Find ${spec.pattern}`,
	};
}

function mcp(spec: ToolSteps["mcp"]): Shape {
	const args = spec.args ?? {};
	return {
		name: "call_mcp_tool",
		args: { ServerName: spec.server, ToolName: spec.tool, Arguments: args },
		type: TYPE.mcpTool,
		field: "mcpTool",
		start: { serverName: spec.server, toolCall: callMessage(spec.tool, args), serverInfo: { name: spec.server } },
		stages: (spec.progress ?? []).map(({ message, done, total }) => ({
			content: { progressMessage: message, progress: done, progressTotal: total },
		})),
		end: { resultString: spec.result ?? "" },
		output: spec.result ?? "",
		permission: { action: "mcp", target: `${spec.server}/${spec.tool}`, displayName: "McpTool" },
		summary: `${spec.server}: ${spec.tool}`,
	};
}

function web(spec: ToolSteps["web"]): Shape {
	const hits = spec.hits ?? [];
	return {
		name: "search_web",
		args: { query: spec.query },
		type: TYPE.searchWeb,
		field: "searchWeb",
		start: { query: spec.query },
		end: {
			summary: spec.summary ?? "",
			webDocuments: hits.map(({ title, url: address }) => ({ title, url: address })),
			webSearchUrl: `https://www.google.com/search?q=${encodeURIComponent(spec.query)}`,
		},
		output: spec.summary ?? "",
		summary: `Search the web for "${spec.query}"`,
	};
}

function url(spec: ToolSteps["url"]): Shape {
	const text = spec.text ?? "";
	return {
		name: "read_url_content",
		args: { Url: spec.url },
		type: TYPE.readUrl,
		field: "readUrlContent",
		start: { url: spec.url },
		end: { webDocument: { url: spec.url, title: spec.title, text }, resolvedUrl: spec.url, latencyMs: 12 },
		output: text,
		permission: { action: "read_url", target: spec.url, displayName: "ReadUrlContent" },
		summary: `Read ${spec.url}`,
	};
}

function subagent(spec: ToolSteps["subagent"]): Shape {
	const called = { typeName: spec.type ?? "general", role: spec.role, initialPrompt: spec.prompt };
	return {
		name: "invoke_subagent",
		args: { Subagents: [{ TypeName: called.typeName, Role: spec.role, Prompt: spec.prompt }] },
		type: TYPE.subagent,
		field: "invokeSubagent",
		start: { subagents: [called] },
		end: {},
		output: spec.report ?? "",
		permission: { action: "subagent", target: spec.role, displayName: "InvokeSubagent" },
		summary: `Ask ${spec.role}`,
	};
}

function generic(spec: ToolSteps["generic"]): Shape {
	const result = spec.result ?? "";
	const render = {
		title: spec.title ?? spec.name,
		markdown: spec.markdown ?? result,
		titlePrefix: "Ran",
		icon: "robot_2",
	};
	return {
		name: spec.name,
		args: spec.args ?? {},
		type: TYPE.generic,
		field: "generic",
		start: { args: spec.args ?? {} },
		end: { result: { result, stepRenderInfo: render } },
		output: result,
		summary: spec.title ?? spec.name,
	};
}

function question(spec: ToolSteps["question"]): Shape {
	const options = spec.options.map((text, index) => ({ id: String(index + 1), text }));
	const asked = { question: spec.question, options };
	const chosen = options.find((option) => option.text === spec.answer);
	const answered = {
		...asked,
		selectedOptionIds: chosen === undefined ? [] : [chosen.id],
		writeInResponse: spec.written,
		skipped: chosen === undefined && spec.written === undefined,
	};
	return {
		name: "ask_question",
		args: { questions: [{ question: spec.question, options, is_multi_select: false }] },
		type: TYPE.question,
		field: "askQuestion",
		start: { questions: [asked] },
		end: { questions: [answered] },
		output: spec.written ?? spec.answer ?? "",
		summary: spec.question,
	};
}

function image(spec: ToolSteps["image"]): Shape {
	const name = spec.name ?? "picture";
	return {
		name: "generate_image",
		args: { Prompt: spec.prompt, ImageName: name },
		type: TYPE.image,
		field: "generateImage",
		start: { prompt: spec.prompt, imageName: name },
		end: { modelName: "stand-in" },
		output: `${name}.png`,
		summary: `Draw ${name}`,
	};
}

function unknown(spec: ToolSteps["unknown"]): Shape {
	return {
		name: "tool_of_the_future",
		args: { Anything: true },
		type: spec.type,
		field: "",
		start: {},
		end: {},
		output: "",
		summary: "Do what nobody knows yet",
	};
}

function callMessage(name: string, args: Record<string, unknown>): Plain {
	return {
		id: randomUUID().slice(0, 8),
		name,
		argumentsJson: JSON.stringify(args),
		thinkingSignature: new Uint8Array(32).fill(7),
		originalName: name,
	};
}

function absolute(path: string, cwd: string): string {
	return path.startsWith("/") ? path : `${cwd}/${path}`;
}

export type { Shape };
