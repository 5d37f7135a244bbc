import assert from "node:assert/strict";
import { test } from "node:test";
import { isShim, quoteWindowsArgument, shimCommand } from "../../../../src/run/process/windows-shim.ts";

test("only command scripts need cmd.exe", () => {
	assert.equal(isShim("C:\\agy.CMD"), true);
	assert.equal(isShim("C:\\agy.bat"), true);
	assert.equal(shimCommand("C:\\agy.exe", ["a"], {}), undefined);
});

test("arguments are quoted as the C run-time reads them", () => {
	assert.equal(quoteWindowsArgument("a b"), '"a b"');
	assert.equal(quoteWindowsArgument('say "hi"'), '"say \\"hi\\""');
	assert.equal(quoteWindowsArgument('back\\"slash'), '"back\\\\\\"slash"');
	assert.equal(quoteWindowsArgument("C:\\dir\\"), '"C:\\dir\\\\"');
});

test("nothing in an argument means something to cmd.exe", () => {
	const shim = shimCommand("C:\\my apps\\agy.cmd", ["--add-dir", "C:\\a & b%PATH%"], { ComSpec: "C:\\cmd.exe" });
	assert.deepEqual(shim, {
		file: "C:\\cmd.exe",
		args: ["/d", "/s", "/c", '"C:\\my^ apps\\agy.cmd ^^^"--add-dir^^^" ^^^"C:\\a^^^ ^^^&^^^ b^^^%PATH^^^%^^^""'],
	});
});
