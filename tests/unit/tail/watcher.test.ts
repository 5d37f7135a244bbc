import assert from "node:assert/strict";
import { test } from "node:test";
import { wakePlan } from "../../../src/tail/wake-plan.ts";
import { ConversationWatcher, hasFileEvents, type WatchSystem } from "../../../src/tail/watcher.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const EXT4 = 0xef53;
const NFS = 0x6969;

/** A system whose file events are sent by hand. */
class FakeSystem implements WatchSystem {
	platform = "linux";
	fileSystem: number | Error = EXT4;
	watchFails: Error | undefined;
	listeners: { event: (fileName: string | null) => void; error: () => void }[] = [];
	watched = 0;

	fileSystemOf(): number {
		if (this.fileSystem instanceof Error) throw this.fileSystem;
		return this.fileSystem;
	}

	watch(_directory: string, event: (fileName: string | null) => void, error: () => void): { close(): void } {
		if (this.watchFails) throw this.watchFails;
		this.watched++;
		const listener = { event, error };
		this.listeners.push(listener);
		return {
			close: () => {
				this.listeners = this.listeners.filter((other) => other !== listener);
			},
		};
	}

	event(fileName: string | null): void {
		for (const listener of this.listeners) listener.event(fileName);
	}
}

function start(change: (system: FakeSystem) => void = () => {}, fileEvents = true) {
	const system = new FakeSystem();
	change(system);
	const clock = new FakeClock(0);
	const checks: number[] = [];
	const state = { changed: false };
	const watcher = new ConversationWatcher({ directory: "/d", fileName: "c.db", clock, fileEvents, system }, () => {
		checks.push(clock.now());
		const found = state.changed;
		state.changed = false;
		return found;
	});
	watcher.start();
	const take = () => checks.splice(0);
	return { system, clock, watcher, state, take };
}

const failure = (code: string) => Object.assign(new Error(code), { code });

test("an idle conversation is looked at four times a second", () => {
	const { clock, take } = start();
	assert.deepEqual(take(), [0]);
	clock.advance(60_000);
	assert.equal(take().length, 240);
});

test("an event is checked at once and again ever later, until one of these checks finds the commit", () => {
	const { system, clock, state, take } = start();
	take();
	clock.advance(20);
	system.event("c.db-wal");
	clock.advance(200);
	assert.deepEqual(take(), [20, 21, 23, 26, 30, 35, 40, 45, 50, 55, 60, 70, 80, 95, 110]);
	clock.advance(40);
	take();
	system.event("c.db-wal");
	clock.advance(5);
	state.changed = true;
	clock.advance(100);
	assert.deepEqual(take(), [260, 261, 263, 266]);
});

test("a check that finds the commit before its own event's still leaves a re-check", () => {
	const { system, clock, state, take } = start();
	take();
	state.changed = true;
	system.event("c.db-wal");
	state.changed = true;
	clock.advance(20);
	assert.deepEqual(take(), [0, 1]);
});

test("a commit that causes many events has one round of re-checks", () => {
	const { system, clock, take } = start();
	take();
	for (let i = 0; i < 30; i++) system.event("c.db-wal");
	clock.advance(200);
	assert.equal(take().length, 30 + 14);
});

test("a burst of events is not listened to: the database is looked at often until it is quiet, then there are events again", () => {
	const { system, clock, state, take } = start();
	take();
	for (let i = 0; i < 500; i++) system.event("c.db-wal");
	assert.equal(take().length, 32);
	assert.equal(system.listeners.length, 0);
	for (let commit = 0; commit < 3; commit++) {
		clock.advance(10);
		state.changed = true;
	}
	clock.advance(20);
	assert.deepEqual(take(), [5, 10, 15, 20, 25, 30, 35, 40, 45, 50]);
	assert.equal(system.listeners.length, 0);
	clock.advance(5);
	assert.equal(system.listeners.length, 1);
	clock.advance(3);
	assert.deepEqual(take(), [55, 55, 56, 58], "once more for what came before there were events again");
	system.event("c.db-wal");
	assert.deepEqual(take(), [58]);
});

test("events in any number that are apart are no burst", () => {
	const { system, clock } = start();
	for (let i = 0; i < 500; i++) {
		system.event("c.db-wal");
		clock.advance(1);
	}
	assert.equal(system.listeners.length, 1);
});

test("when the events cannot be had again after a burst, the fast poll takes over; closing in a burst leaves nothing", () => {
	const lost = start();
	for (let i = 0; i < 50; i++) lost.system.event("c.db-wal");
	lost.system.watchFails = failure("ENOSPC");
	lost.clock.advance(200);
	lost.take();
	lost.clock.advance(100);
	assert.deepEqual(lost.take().length, 4);

	const closed = start();
	for (let i = 0; i < 50; i++) closed.system.event("c.db-wal");
	closed.watcher.close();
	assert.equal(closed.clock.pending, 0);
});

test("only the database and its log count, and events that name no file", () => {
	const { system, take } = start();
	take();
	for (const name of ["d.db", "d.db-wal", "c.db-shm", "c.db-journal", "C.DB", "c.db-wal2"]) system.event(name);
	assert.deepEqual(take(), []);
	for (const name of ["c.db", "c.db-wal", null]) system.event(name);
	assert.deepEqual(take(), [0, 0, 0]);
});

test("without file events the poll is every 25 ms", () => {
	const cases: [string, (system: FakeSystem) => void, boolean][] = [
		["switched off", () => {}, false],
		["network file system", (system) => Object.assign(system, { fileSystem: NFS }), true],
		["file system not told", (system) => Object.assign(system, { fileSystem: failure("ENOSYS") }), true],
		["no inotify watch left", (system) => Object.assign(system, { watchFails: failure("ENOSPC") }), true],
		["too many open files", (system) => Object.assign(system, { watchFails: failure("EMFILE") }), true],
		["not implemented", (system) => Object.assign(system, { watchFails: failure("ENOSYS") }), true],
	];
	for (const [name, change, fileEvents] of cases) {
		const { system, clock, watcher, take } = start(change, fileEvents);
		clock.advance(100);
		assert.deepEqual(take(), [0, 25, 50, 75, 100], name);
		assert.equal(system.watched, 0, name);
		watcher.close();
		assert.equal(clock.pending, 0, name);
	}
});

test("elsewhere than on Linux events help, and the fast poll stays", () => {
	for (const platform of ["darwin", "win32"]) {
		const { system, clock, take } = start((system) => Object.assign(system, { platform }));
		clock.advance(30);
		system.event("c.db-wal");
		assert.deepEqual(take(), [0, 25, 30]);
	}
});

test("when the events break off, the fast poll takes over at once", () => {
	const { system, clock, take } = start();
	take();
	clock.advance(100);
	system.listeners[0]?.error();
	assert.equal(system.listeners.length, 0);
	clock.advance(75);
	assert.deepEqual(take(), [125, 150, 175]);
});

test("events that stay away while the poll finds changes are no longer relied on", () => {
	const { clock, state, take } = start();
	clock.advance(1_000);
	state.changed = true;
	clock.advance(250);
	take();
	clock.advance(1_000);
	assert.equal(take().length, 4, "once may be chance");
	state.changed = true;
	clock.advance(250);
	take();
	clock.advance(1_000);
	assert.equal(take().length, 40);
});

test("a commit that took longer to be synced than the re-checks last is no reason to distrust events", () => {
	const { system, clock, state, take } = start();
	for (let i = 0; i < 5; i++) {
		system.event("c.db-wal");
		clock.advance(100);
		state.changed = true;
		clock.advance(900);
	}
	take();
	clock.advance(1_000);
	assert.equal(take().length, 4);
});

test("a folder that does not exist yet is listened to as soon as it is there", () => {
	const { system, clock, take } = start((system) => Object.assign(system, { fileSystem: failure("ENOENT") }));
	clock.advance(50);
	assert.deepEqual(take(), [0, 25, 50]);
	assert.equal(system.watched, 0);
	system.fileSystem = EXT4;
	clock.advance(25);
	assert.equal(system.watched, 1);
	take();
	clock.advance(500);
	assert.equal(take().length, 2);
});

test("closing leaves nothing, whatever was going on", () => {
	const { system, clock, watcher, take } = start();
	const { error, event } = system.listeners[0] ?? assert.fail();
	system.event("c.db-wal");
	watcher.close();
	watcher.close();
	take();
	assert.equal(clock.pending, 0);
	assert.equal(system.listeners.length, 0);
	event("c.db-wal");
	error();
	clock.advance(1_000);
	assert.deepEqual(take(), []);
	assert.equal(clock.pending, 0);
});

test("a check may close the watcher", () => {
	for (const trigger of ["poll", "event", "re-check"]) {
		const system = new FakeSystem();
		const clock = new FakeClock(0);
		let closing = false;
		const watcher = new ConversationWatcher(
			{ directory: "/d", fileName: "c.db", clock, fileEvents: true, system },
			() => {
				if (closing) watcher.close();
				return false;
			},
		);
		watcher.start();
		if (trigger === "re-check") system.event("c.db");
		closing = true;
		if (trigger === "event") system.event("c.db");
		else clock.advance(trigger === "poll" ? 250 : 1);
		assert.equal(clock.pending, 0, trigger);
		assert.equal(system.listeners.length, 0, trigger);
	}
});

test("file systems that are shared over a network are polled, sign-extended types too", () => {
	assert.deepEqual(wakePlan(true, "linux", EXT4), { events: true, pollMs: 250 });
	for (const type of [NFS, 0x517b, 0xff534d42, 0xff534d42 - 2 ** 32, 0xfe534d42, 0x01021997, 0x65735546]) {
		assert.deepEqual(wakePlan(true, "linux", type), { events: false, pollMs: 25 });
	}
});

test("whether there are file events is found out by trying, and leaves no watcher", () => {
	const found = (change: (system: FakeSystem) => void, fileEvents = true) => {
		const system = new FakeSystem();
		change(system);
		const answer = hasFileEvents("/d", fileEvents, system);
		assert.deepEqual(system.listeners, []);
		return answer;
	};
	assert.equal(
		found(() => {}),
		true,
	);
	assert.equal(
		found(() => {}, false),
		false,
	);
	assert.equal(
		found((system) => {
			system.fileSystem = NFS;
		}),
		false,
	);
	assert.equal(
		found((system) => {
			system.watchFails = failure("ENOSPC");
		}),
		false,
	);
	assert.equal(
		found((system) => {
			system.fileSystem = failure("EACCES");
		}),
		false,
	);
});
