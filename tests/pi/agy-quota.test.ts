import assert from "node:assert/strict";
import { test } from "node:test";
import { only, type PiRpc, PiScreen, skipWithoutTmux } from "../support/pi.ts";
import { agyHome, EXTENSION, MODEL } from "./agy-home.ts";

const noTmux = await skipWithoutTmux();
/** Never asked anything: only there to be selected. */
const OTHER = { ANTHROPIC_API_KEY: "none" };

/** The texts of our status line so far; null where it was taken away. */
function footers(rpc: PiRpc): (string | null)[] {
	return rpc.events.flatMap((event) =>
		event.type === "extension_ui_request" && event.method === "setStatus" && event.statusKey === "antigravity-quota"
			? [typeof event.statusText === "string" ? event.statusText.replace(/\d\d:\d\d/, "hh:mm") : null]
			: [],
	);
}

test("a used-up quota stands in the footer while one of its models is selected, also in the next session", async (t) => {
	const { play, rpc: open } = agyHome(t, "quota", { env: OTHER });
	const rpc = open();
	const shown = "agy: quota used up, resets hh:mm";
	await rpc.prompt("go");
	assert.deepEqual(footers(rpc), [shown]);
	const select = (provider: string, modelId: string) => rpc.request({ type: "set_model", provider, modelId });
	await select("anthropic", "claude-sonnet-4-5");
	assert.deepEqual(footers(rpc), [shown, null]);
	await select("antigravity", "claude-sonnet-4-6");
	assert.deepEqual(footers(rpc), [shown, null]);
	await select("antigravity", "gemini-3.7-flash");
	assert.deepEqual(footers(rpc), [shown, null, shown]);
	await rpc.request({ type: "new_session" });
	assert.deepEqual(footers(rpc), [shown, null, shown, null, shown]);
	play({ steps: [{ say: "Back." }] });
	await rpc.prompt("again");
	assert.equal(footers(rpc).at(-1), null);
});

test("the screen: the message tells of the quota, and so does the footer", { skip: noTmux }, async (t) => {
	const { pi } = agyHome(t, "quota", { env: { AGY_SKIP_PERMISSIONS: "true" } });
	const screen = await PiScreen.open(pi, [...only(EXTENSION), ...MODEL]);
	await screen.shows(/gemini-3\.8-flash/);
	await screen.submit("go");
	await screen.shows(/agy: quota used up, resets \d\d:\d\d/);
});
