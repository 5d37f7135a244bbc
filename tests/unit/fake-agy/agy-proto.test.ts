import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { decode, encode, unknownFields } from "../../support/agy-proto.ts";
import { copyRealDatabase, realConversations, realSteps, skipWithoutFixtures } from "../../support/fixtures.ts";

test("a message survives encoding and decoding, 64-bit integers and map entries included", () => {
	const usage = { inputTokens: 18_446_744_073_709_551_615n, responseHeader: { sessionID: "-1" }, responseId: "é🎉" };
	assert.deepEqual(decode("ModelUsageStats", encode("ModelUsageStats", usage)), usage);
});

test("members of a oneof stand in the message like any other field", () => {
	const step = { type: 21, runCommand: { commandLine: "ls", combinedOutput: { full: "a\r\nb" } } };
	assert.deepEqual(decode("Step", encode("Step", step)), step);
});

test("known bytes: field numbers and wire types are as agy's descriptors have them", () => {
	const step = { type: 15, status: 8, plannerResponse: { thinking: "t", modifiedResponse: "m" } };
	assert.equal(Buffer.from(encode("Step", step)).toString("hex"), "080f2008a201061a017442016d");
});

test("a name that agy.proto does not have is an error", () => {
	assert.throws(() => encode("Step", { plannerRespons: {} }), /Step has no field plannerRespons/);
	assert.throws(() => encode("Stepp", {}), /no message Stepp/);
});

test("unknown fields are named with the path to them", () => {
	const inner = Buffer.from([0xf8, 0x07, 1]);
	const bytes = Buffer.concat([Buffer.from([0x2a, inner.length]), inner, Buffer.from([0xc0, 0x3e, 1])]);
	assert.deepEqual(unknownFields("Step", bytes), ["#1000", "metadata.#127"]);
});

test("every recorded step payload decodes without unknown fields and means the same when encoded again", {
	skip: skipWithoutFixtures,
}, () => {
	const steps = realSteps();
	assert.equal(steps.length, 18);
	for (const { name, payload } of steps) sameMeaning(name, "Step", payload);
});

test("every blob of the recorded databases decodes without unknown fields and means the same when encoded again", {
	skip: skipWithoutFixtures,
}, (t) => {
	let blobs = 0;
	for (const id of realConversations()) {
		const db = new DatabaseSync(copyRealDatabase(t, id));
		for (const [sql, message] of COLUMNS) {
			for (const { data } of db.prepare(sql).all()) {
				assert.ok(data instanceof Uint8Array);
				sameMeaning(`${id}: ${sql}`, message, data);
				blobs++;
			}
		}
		db.close();
	}
	assert.equal(blobs, 63);
});

const COLUMNS = [
	["SELECT step_payload AS data FROM steps", "Step"],
	["SELECT metadata AS data FROM steps", "CortexStepMetadata"],
	["SELECT data FROM gen_metadata", "CortexStepGeneratorMetadata"],
	["SELECT data FROM executor_metadata", "ExecutorMetadata"],
	["SELECT data FROM trajectory_metadata_blob", "CortexTrajectoryMetadata"],
] as const;

function sameMeaning(name: string, message: string, bytes: Uint8Array): void {
	assert.deepEqual(unknownFields(message, bytes), [], name);
	const decoded = decode(message, bytes);
	assert.deepEqual(decode(message, encode(message, decoded)), decoded, name);
}
