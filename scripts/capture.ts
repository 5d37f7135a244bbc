// The screen of a turn with many kinds of steps, as text, for the README: real pi in a terminal of tmux, with the stand-in agy.
// Run: node scripts/capture.ts
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { only, PiScreen, piHome } from "../tests/support/pi.ts";
import { fakeHome } from "../tests/support/scenario.ts";

const cleanUps: (() => unknown)[] = [];
const t = { after: (cleanUp: () => unknown) => cleanUps.push(cleanUp) } as Parameters<typeof piHome>[0];
try {
	const { cwd, env } = fakeHome(t, "showcase");
	const home = piHome(t, { cwd, env: { ...env, AGY_SKIP_PERMISSIONS: "on" } });
	const root = fileURLToPath(new URL("..", import.meta.url));
	const args = [...only(root), "--model", "antigravity/gemini-3.8-flash"];
	const screen = await PiScreen.open(home, args, { columns: 100, rows: 46 });
	await screen.shows(/gemini-3\.8-flash/);
	await screen.submit("Fix the failing test");
	await screen.shows(/the test passes\.[\s\S]*Fix the sum/);
	await pause(300);
	const lines = (await screen.text()).split("\n").map((line) => line.trimEnd());
	// What the screen has cut at its top is left out.
	const whole = lines.slice(lines.indexOf(""));
	const withoutDoubleGaps = whole.filter((line, index) => line !== "" || whole[index + 1] !== "");
	process.stdout.write(`${withoutDoubleGaps.join("\n").replace(/^\n+|\n+$/g, "")}\n`);
} finally {
	for (const cleanUp of cleanUps) await cleanUp();
}
