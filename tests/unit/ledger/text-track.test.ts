import assert from "node:assert/strict";
import { test } from "node:test";
import { TextTrack } from "../../../src/ledger/text-track.ts";

const grew = (delta: string) => ({ kind: "grew", delta });
const rewritten = (text: string) => ({ kind: "rewritten", text });

/** A text of which no row is to be expected. */
function onStdoutAlone(): TextTrack {
	const track = new TextTrack();
	track.stdoutAlone();
	return track;
}

test("a growing row is shown by its new suffix", () => {
	const track = new TextTrack();
	assert.deepEqual(track.fromRow("Hel", false), grew("Hel"));
	assert.deepEqual(track.fromRow("Hello", false), grew("lo"));
	assert.equal(track.fromRow("Hello", true), undefined);
});

test("whichever source is ahead is shown, and the other one adds nothing", () => {
	const track = new TextTrack();
	assert.deepEqual(track.fromRow("Hello", false), grew("Hello"));
	assert.deepEqual(track.fromStdout("Hello wo"), grew(" wo"));
	assert.deepEqual(track.fromRow("Hello world", false), grew("rld"));
	assert.equal(track.fromStdout("rld"), undefined);
	assert.equal(track.fromRow("Hello world", true), undefined);
});

test("stdout waits until the row has begun to speak, or until none is to be expected", () => {
	const track = new TextTrack();
	assert.equal(track.fromStdout("Hello wo"), undefined);
	assert.equal(track.fromRow("", false), undefined);
	assert.deepEqual(track.fromRow("Hel", false), grew("Hello wo"));

	const alone = new TextTrack();
	alone.fromStdout("Hello");
	assert.deepEqual(alone.stdoutAlone(), grew("Hello"));
	assert.deepEqual(alone.fromStdout(" world"), grew(" world"));
});

test("the line break that agy prints at the end is not part of the answer unless the row has it", () => {
	const without = onStdoutAlone();
	assert.deepEqual(without.fromStdout("pong\n"), grew("pong"));
	assert.equal(without.fromRow("pong", true), undefined);
	assert.equal(without.settle(), undefined);

	const withBreak = onStdoutAlone();
	withBreak.fromStdout("pong\n");
	assert.deepEqual(withBreak.fromRow("pong\n", true), grew("\n"));
});

test("white space inside is shown as soon as something follows it", () => {
	const track = onStdoutAlone();
	assert.deepEqual(track.fromStdout("a\n\n"), grew("a"));
	assert.deepEqual(track.fromStdout("b"), grew("\n\nb"));
});

test("characters that stdout broke wait for the row", () => {
	const track = onStdoutAlone();
	assert.deepEqual(track.fromStdout("caf\uFFFD\uFFFD au lait"), grew("caf"));
	assert.deepEqual(track.fromRow("café au lait", true), grew("é au lait"));
});

test("a text of another kind than before replaces it", () => {
	const track = new TextTrack();
	track.fromRow("It is blue", false);
	assert.deepEqual(track.fromRow("It is grey", false), rewritten("It is grey"));
});

test("a row that shrinks may grow again, so only its end is final", () => {
	const track = new TextTrack();
	track.fromRow("Hello world", false);
	assert.equal(track.fromRow("Hello", false), undefined);
	assert.deepEqual(track.fromRow("Hello", true), rewritten("Hello"));
});

test("a row that shrank and never ended is believed when nothing more comes", () => {
	const track = new TextTrack();
	track.fromRow("Hello world", false);
	track.fromRow("Hello", false);
	assert.deepEqual(track.settle(), rewritten("Hello"));
});

test("a finished row overrules stdout", () => {
	const track = onStdoutAlone();
	track.fromStdout("Something else");
	assert.deepEqual(track.fromRow("The answer", true), rewritten("The answer"));
	assert.equal(track.fromStdout(" entirely"), undefined);
	assert.equal(track.exceedsRow, false);
});

test("without a row, stdout is believed, but for the line break that printing adds", () => {
	const track = onStdoutAlone();
	track.fromStdout("pong \n\n");
	assert.deepEqual(track.settle(), grew(" \n"));
	assert.equal(track.exceedsRow, true);
});

test("an unfinished row is completed from stdout where that continues it", () => {
	const track = new TextTrack();
	track.fromRow("Hello", false);
	track.fromStdout("Hello world");
	assert.equal(track.settle(), undefined);
	assert.equal(track.shown, "Hello world");
	assert.equal(track.exceedsRow, true);
});
