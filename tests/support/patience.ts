/**
 * How long a test waits for something that should come at once, in milliseconds: long enough for a machine with twenty times
 * more to do than it can. Only a test that fails gets there.
 */
export const PATIENCE_MS = 120_000;
