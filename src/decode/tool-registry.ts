import { commandStatus, runCommand, sendCommandInput, shellExec } from "./steps/commands.ts";
import { codeAction, deleteDirectory, fileChange, move, writeBlob } from "./steps/edits.ts";
import { agencyToolCall, genericTool, otherTool, toolSearch } from "./steps/generic.ts";
import { find, grepSearch, listDirectory, viewFile } from "./steps/lookups.ts";
import { mcpTool } from "./steps/mcp.ts";
import { generateImage } from "./steps/media.ts";
import { askQuestion } from "./steps/questions.ts";
import { invokeSubagent } from "./steps/subagents.ts";
import { notifyUser, taskBoundary, wait } from "./steps/task-ui.ts";
import { readUrl, searchWeb } from "./steps/web.ts";
import type { ToolDecoder } from "./tool-facts.ts";

export interface ToolType {
	/** The field of gemini_coder.Step that holds the tool's message. */
	readonly field: number;
	/** agy's usual name of the tool, for steps that carry no call. */
	readonly name: string;
	readonly decode: ToolDecoder;
}

/** CortexStepType of the steps that may hold another step in their result. */
export const AGENCY_TOOL_CALL_STEP = 103;
export const GENERIC_STEP = 132;

/** By CortexStepType. Types that are not here are told by their metadata alone. */
const TOOLS: ReadonlyMap<number, ToolType> = new Map([
	[5, { field: 10, name: "code_action", decode: codeAction }],
	[7, { field: 13, name: "grep_search", decode: grepSearch }],
	[8, { field: 14, name: "view_file", decode: viewFile }],
	[9, { field: 15, name: "list_dir", decode: listDirectory }],
	[21, { field: 28, name: "run_command", decode: runCommand }],
	[25, { field: 34, name: "find_by_name", decode: find }],
	[28, { field: 37, name: "command_status", decode: commandStatus }],
	[31, { field: 40, name: "read_url_content", decode: readUrl }],
	[32, { field: 41, name: "view_content_chunk", decode: otherTool }],
	[33, { field: 42, name: "search_web", decode: searchWeb }],
	[38, { field: 47, name: "call_mcp_tool", decode: mcpTool }],
	[56, { field: 67, name: "open_browser_url", decode: otherTool }],
	[61, { field: 73, name: "execute_browser_javascript", decode: otherTool }],
	[62, { field: 74, name: "list_browser_pages", decode: otherTool }],
	[63, { field: 75, name: "capture_browser_screenshot", decode: otherTool }],
	[64, { field: 76, name: "click_browser_pixel", decode: otherTool }],
	[65, { field: 77, name: "read_terminal", decode: otherTool }],
	[66, { field: 78, name: "capture_browser_console_logs", decode: otherTool }],
	[67, { field: 79, name: "read_browser_page", decode: otherTool }],
	[68, { field: 80, name: "browser_get_dom", decode: otherTool }],
	[74, { field: 86, name: "browser_input", decode: otherTool }],
	[75, { field: 87, name: "browser_move_mouse", decode: otherTool }],
	[76, { field: 88, name: "browser_select_option", decode: otherTool }],
	[77, { field: 89, name: "browser_scroll_up", decode: otherTool }],
	[78, { field: 90, name: "browser_scroll_down", decode: otherTool }],
	[79, { field: 91, name: "browser_click_element", decode: otherTool }],
	[80, { field: 92, name: "browser_press_key", decode: otherTool }],
	[81, { field: 93, name: "task_boundary", decode: taskBoundary }],
	[82, { field: 94, name: "notify_user", decode: notifyUser }],
	[85, { field: 97, name: "browser_subagent", decode: otherTool }],
	[86, { field: 98, name: "write_to_file", decode: fileChange }],
	[87, { field: 100, name: "move", decode: move }],
	[88, { field: 101, name: "browser_scroll", decode: otherTool }],
	[91, { field: 104, name: "generate_image", decode: generateImage }],
	[92, { field: 105, name: "delete_directory", decode: deleteDirectory }],
	[96, { field: 109, name: "browser_resize_window", decode: otherTool }],
	[97, { field: 110, name: "browser_drag_pixel_to_pixel", decode: otherTool }],
	[100, { field: 113, name: "send_command_input", decode: sendCommandInput }],
	[102, { field: 115, name: "wait", decode: wait }],
	[AGENCY_TOOL_CALL_STEP, { field: 116, name: "agency_tool_call", decode: agencyToolCall }],
	[112, { field: 127, name: "shell_exec", decode: shellExec }],
	[113, { field: 125, name: "browser_mouse_wheel", decode: otherTool }],
	[120, { field: 134, name: "browser_mouse_up", decode: otherTool }],
	[121, { field: 135, name: "browser_mouse_down", decode: otherTool }],
	[123, { field: 137, name: "browser_list_network_requests", decode: otherTool }],
	[124, { field: 138, name: "browser_get_network_request", decode: otherTool }],
	[125, { field: 139, name: "browser_refresh_page", decode: otherTool }],
	[127, { field: 143, name: "invoke_subagent", decode: invokeSubagent }],
	[128, { field: 142, name: "write_blob", decode: writeBlob }],
	[GENERIC_STEP, { field: 140, name: "generic", decode: genericTool }],
	[138, { field: 154, name: "ask_question", decode: askQuestion }],
	[140, { field: 157, name: "tool_search", decode: toolSearch }],
]);

/** Undefined for a step that is no tool we know. */
export function toolTypeOf(stepType: number): ToolType | undefined {
	return TOOLS.get(stepType);
}

/** For a type that is not known: it is a tool if its metadata names one. */
export const unknownTool: ToolType = { field: 0, name: "tool", decode: otherTool };
