/** Where cleaning up is put off to: the context of a test, or `after` of a suite. */
export interface Cleanup {
	after(clean: () => unknown): void;
}
