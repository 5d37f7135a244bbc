import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { acceptedVersion, checkHead, type HeadCheck, MAX_BODY_BYTES } from "../../../src/bridge/request-check.ts";

const PORT = 4711;

function check(change: { method?: string; url?: string; headers?: Record<string, string | undefined> }): HeadCheck {
	const headers = { host: `127.0.0.1:${PORT}`, "x-pi-bridge-key": "secret", ...change.headers };
	return checkHead({ method: "POST", url: "/mcp/workspace-file", ...change, headers }, PORT);
}

function status(change: Parameters<typeof check>[0]): number {
	const found = check(change);
	return found.kind === "ok" ? 200 : found.status;
}

describe("a request", () => {
	test("of agy is let in, with its secret and its registration", () => {
		assert.deepEqual(check({}), { kind: "ok", secret: "secret", registration: "workspace-file" });
		assert.equal(status({ headers: { host: `localhost:${PORT}` } }), 200);
	});
	test("without a secret is not", () => {
		assert.equal(status({ headers: { "x-pi-bridge-key": undefined } }), 401);
		assert.equal(status({ headers: { "x-pi-bridge-key": "" } }), 401);
	});
	test("that a web page could have sent is not, even with the secret", () => {
		for (const host of ["evil.example", `evil.example:${PORT}`, "127.0.0.1:80", "127.0.0.1", undefined]) {
			assert.equal(status({ headers: { host } }), 403, host);
		}
		for (const origin of ["https://evil.example", "null", `http://127.0.0.1:${PORT}`]) {
			assert.equal(status({ headers: { origin } }), 403, origin);
		}
	});
	test("to nowhere, by no method, of no size", () => {
		for (const url of ["/", "/mcp", "/mcp/", "/mcp/../x", "/mcp/a/b", "/mcp/A", undefined]) {
			assert.equal(checkHead({ method: "POST", ...(url && { url }), headers: headersOf() }, PORT).kind, "refused", url);
		}
		assert.equal(status({ method: "PUT" }), 405);
		assert.equal(status({ headers: { "content-length": String(MAX_BODY_BYTES) } }), 200);
		assert.equal(status({ headers: { "content-length": String(MAX_BODY_BYTES + 1) } }), 413);
	});
});

function headersOf() {
	return { host: `127.0.0.1:${PORT}`, "x-pi-bridge-key": "secret" };
}

test("a protocol version that the SDK does not know is taken for its newest", () => {
	assert.equal(acceptedVersion("2026-07-28", ["2025-11-25"], "2025-11-25"), "2025-11-25");
	assert.equal(acceptedVersion("2025-06-18", ["2025-06-18", "2025-11-25"], "2025-11-25"), "2025-06-18");
	assert.equal(acceptedVersion(null, ["2025-11-25"], "2025-11-25"), undefined);
});
