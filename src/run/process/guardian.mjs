// Ends pi's agy processes when pi is gone, however it went: the counterpart of guardian.sh for Windows, where there is no
// shell to rely on. Standard input is a pipe that only pi holds. Lines on it: "+ PID START" when an agy began, "- PID" when
// it is gone. A number cannot have been reused meanwhile: until it dies, pi holds a handle to each of its children.
import { execFile } from "node:child_process";
import { createInterface } from "node:readline";

const running = new Set();

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
	const [what, pid] = line.split(" ");
	if (what === "+") running.add(pid);
	else running.delete(pid);
});
lines.on("close", () => {
	for (const pid of running) execFile("taskkill", ["/PID", pid, "/T", "/F"], { windowsHide: true }, () => {});
});
