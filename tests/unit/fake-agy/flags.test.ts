import assert from "node:assert/strict";
import { test } from "node:test";
import { FlagError, parseDuration, parseFlags, usage } from "../../fake-agy/flags.ts";
import { CATALOGUE, chooseModel, modelListing } from "../../fake-agy/models.ts";
import { slashAnswer } from "../../fake-agy/slash.ts";
import { abilitiesOf, compareVersions } from "../../fake-agy/versions.ts";

const parse = (argv: string[], version = "1.3.3") => parseFlags(argv, version, abilitiesOf(version).strictArguments);

test("flags take one dash or two, and their value after = or as the next argument", () => {
	const flags = parse([
		"-model=a",
		"--effort",
		"low",
		"--sandbox",
		"--add-dir",
		"/a",
		"-add-dir=/b",
		"-p=-x=y",
		"rest",
	]);
	assert.deepEqual(
		[...flags.values],
		[
			["model", "a"],
			["effort", "low"],
		],
	);
	assert.deepEqual(flags.addDirs, ["/a", "/b"]);
	assert.deepEqual([...flags.switches], ["sandbox"]);
	assert.deepEqual(flags.prompt, { flag: "p", text: "-x=y" });
	assert.deepEqual(flags.rest, ["rest"]);
});

test("a bare prompt flag needs an argument, and before 1.1.18 it swallows the next flag", () => {
	assert.throws(() => parse(["-p"]), new FlagError("flag needs an argument: -p"));
	assert.throws(() => parse(["-p", "--model", "x"]), /Attach the prompt to the flag/);
	assert.equal(parse(["-p", "--model"], "1.1.8").prompt?.text, "--model");
});

test("a flag that this version does not have is not defined", () => {
	assert.throws(() => parse(["--output-format", "json"], "1.1.7"), /flag provided but not defined: -output-format/);
	assert.throws(() => parse(["--made-up"]), FlagError);
	assert.match(usage("1.3.3"), /--json-schema/);
	assert.doesNotMatch(usage("1.1.7"), /--json-schema/);
});

test("durations are Go's: a bare number is none", () => {
	assert.equal(parseDuration("print-timeout", "1m30s"), 90_000);
	assert.equal(parseDuration("print-timeout", "250ms"), 250);
	for (const wrong of ["90", "", "1x", "s", "1m 30s"])
		assert.throws(() => parseDuration("print-timeout", wrong), FlagError);
});

test("versions compare by number, not by letter", () => {
	assert.ok(compareVersions("1.2.10", "1.2.9") > 0);
	assert.ok(compareVersions("1.10", "1.9.9") > 0);
	assert.equal(compareVersions("1.3", "1.3.0"), 0);
});

test("the model list changed its form: labels, slugs, two columns", () => {
	const firstLine = (version: string) => modelListing(abilitiesOf(version), CATALOGUE).split("\n")[0];
	assert.equal(firstLine("1.1.4"), "Gemini 3.8 Flash (High)");
	assert.equal(firstLine("1.1.5"), "gemini-3.8-flash-high");
	assert.equal(firstLine("1.3.3"), "gemini-3.8-flash-high\tGemini 3.8 Flash (High)");
});

test("models and efforts are accepted and refused as each version does", () => {
	const choose = (version: string, model: string, effort?: string) => {
		const chosen = chooseModel(abilitiesOf(version), model, effort);
		return "error" in chosen ? chosen.error.split("\n")[0] : chosen.model.slug;
	};
	assert.equal(choose("1.3.3", "gemini-3.8-flash-low"), "gemini-3.8-flash-low");
	assert.equal(choose("1.3.3", "Gemini 3.1 Pro (High)"), "gemini-3.1-pro-high");
	assert.equal(choose("1.3.3", "gemini-3.8-flash", "medium"), "gemini-3.8-flash-medium");
	assert.match(choose("1.3.3", "gemini-3.8-flash") ?? "", /requires --effort \(available: low, medium, high\)/);
	assert.equal(choose("1.2.0", "gemini-3.8-flash"), "gemini-3.8-flash-high");
	assert.match(choose("1.3.3", "gemini-3.8-flash-low", "high") ?? "", /conflicts with --effort=high/);
	assert.match(choose("1.3.3", "gemini-3.1-pro", "medium") ?? "", /available: low, high/);
	assert.match(
		choose("1.3.3", "claude-sonnet-4-6", "high") ?? "",
		/--effort is not supported for model claude-sonnet-4-6/,
	);
	assert.match(choose("1.3.3", "gemini-9") ?? "", /model gemini-9 is not recognized as a known model/);
	assert.equal(choose("1.1.1", "gemini-9"), "gemini-3.8-flash-medium", "old versions fall back in silence");
});

test("slash commands are answered without a turn from 1.1.11 on; other words go to the model", () => {
	const answer = (prompt: string, version = "1.3.3") => slashAnswer(prompt, abilitiesOf(version), version)?.name;
	assert.equal(answer("/usage"), "usage");
	assert.equal(answer("/usage", "1.1.10"), undefined);
	assert.equal(answer("/config"), "config");
	assert.equal(answer("/config", "1.1.11"), undefined);
	assert.equal(answer("/made-up"), undefined);
	assert.equal(answer("/usage of flags"), undefined);
});
