import type { BridgeProbe, BridgeStatus } from "../environment.ts";
import { type Check, ok, warning } from "./check.ts";

const NAME = "pi's tools";
/** Said before agy is started. */
export const SELF_TEST_BEGINS =
	"Starting agy to see whether it connects to pi's tools; this can cost part of a model request…";

const OTHER_WAY = "Turns work, without pi's tools. The setting bridgeGlobalConfig allows another way to offer them.";

/** What the session knows by itself; nothing is started for it. */
export function checkBridge({ tools, contact }: BridgeStatus): Check {
	if (tools.length === 0) return ok(NAME, "agy is offered none; `/agy bridge` says why");
	const offered = `agy is offered ${tools.length}`;
	switch (contact) {
		case "no turn yet":
			return ok(NAME, `${offered}; \`/agy bridge test\` tries whether it connects to them`);
		case "connected":
			return ok(NAME, `${offered}, and connected to them in its last turn`);
		case "not connected":
			return warning(NAME, `${offered}, and did not connect to them in its last turn`, OTHER_WAY);
	}
}

/** What came of starting agy for it. */
export function checkSelfTest(probe: BridgeProbe): Check {
	switch (probe.kind) {
		case "not-offered":
			return ok(NAME, "agy is offered none, so it was not started; `/agy bridge` says why");
		case "connected":
			return ok(NAME, `agy was started and connects to them (${probe.by}, after ${probe.seconds.toFixed(1)} s)`);
		case "not-connected":
			return warning(NAME, "agy was started and does not connect to them", OTHER_WAY);
		case "failed":
			return warning(NAME, `could not be tried: ${probe.cause}`, "Mend what else is wrong, then try again.");
	}
}
