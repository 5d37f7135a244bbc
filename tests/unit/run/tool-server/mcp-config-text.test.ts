import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { withServer } from "../../../../src/run/tool-server/mcp-config-text.ts";

const ENTRY = { command: "node", args: ["relay.mjs"] };

const COMMENTED = `// my servers
{
	/* the tracker */
	"mcpServers": {
		"tracker": { "serverUrl": "http://localhost:1", }, // keep
	},
	"other": [1,2,  3],
}
`;

function servers(text: string | undefined): unknown {
	return JSON.parse(text ?? "").mcpServers;
}

describe("agy's MCP file", () => {
	test("gets one more server and is else what it was, to the byte, with it and after it", () => {
		const texts = [
			COMMENTED,
			'{"mcpServers":{"a":{}}}',
			'{\n  "mcpServers": {\n    // only mine\n    "a": {} // keep\n  }\n}\n',
			'{\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t}\r\n}',
			'{ "mcpServers": { /* none yet */ } }',
			'\uFEFF{ "mcpServers": {} }',
		];
		for (const text of texts) {
			const added = withServer(text, "pi_tools_1", ENTRY) ?? "";
			const without = added.replace(/"pi_tools_1": ?\{[^}]*\},?/, "");
			assert.notEqual(without, added);
			assert.equal(without, text);
			assert.equal(withServer(added, "pi_tools_1", undefined), text);
		}
	});
	test("loses nothing else either when somebody has moved the entry", () => {
		const last = '{ "mcpServers": { "a": {}, /* mine */ "pi_tools_1": {} /* end */ } }';
		assert.equal(withServer(last, "pi_tools_1", undefined), '{ "mcpServers": { "a": {} /* mine */  /* end */ } }');
		const middle = '{ "mcpServers": { "a": {}, "pi_tools_1": {} /* x */, "b": {} } }';
		assert.equal(withServer(middle, "pi_tools_1", undefined), '{ "mcpServers": { "a": {},  /* x */ "b": {} } }');
		const trailing = '{ "mcpServers": { "pi_tools_1": {}, } }';
		assert.equal(withServer(trailing, "pi_tools_1", undefined), '{ "mcpServers": {  } }');
	});
	test("is made when it is missing or empty", () => {
		for (const text of ["", "\n", "{}", "\uFEFF{}"]) {
			const changed = withServer(text, "pi_tools_1", ENTRY) ?? "";
			assert.equal(changed.startsWith("\uFEFF"), text.startsWith("\uFEFF"));
			assert.deepEqual(servers(changed.replace("\uFEFF", "")), { pi_tools_1: ENTRY });
		}
	});
	test("is left alone when it is not what agy's has to be", () => {
		for (const text of ["{", "[]", "null", '"x"', '{"mcpServers": []}', '{"mcpServers": 1}', '{"a": }', "{} {}"]) {
			assert.equal(withServer(text, "pi_tools_1", ENTRY), undefined, text);
		}
	});
	test("does not change when there is nothing to take out", () => {
		assert.equal(withServer(COMMENTED, "pi_tools_1", undefined), COMMENTED);
		assert.equal(withServer("{}", "pi_tools_1", undefined), "{}");
	});
	test("keeps everybody else's entries, whatever they are", () => {
		const config = fc.record({ mcpServers: fc.dictionary(fc.string(), fc.jsonValue()) }, { noNullPrototype: true });
		fc.assert(
			fc.property(config, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
				const text = JSON.stringify(value, null, indent);
				const added = withServer(text, "pi_tools_1", ENTRY) ?? "";
				assert.deepEqual(servers(added), { ...Object(servers(text)), pi_tools_1: ENTRY });
				assert.deepEqual(servers(withServer(added, "pi_tools_1", undefined)), servers(text));
			}),
			{ numRuns: 200 },
		);
	});
});
