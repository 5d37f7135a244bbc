/** Runs the measurement named as argument once and prints it as JSON. */
import type { Measurement } from "./measurement.ts";

const { measurement } = (await import(`./measurements/${process.argv[2]}.ts`)) as { measurement: Measurement };
// What is measured may rest on timers that do not keep the process alive.
const alive = setInterval(() => {}, 1_000);
const figures = await measurement.run();
clearInterval(alive);
const { title, comparedWith } = measurement;
process.stdout.write(JSON.stringify({ title, comparedWith, figures }));
