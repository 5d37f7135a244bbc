/** The properties of `T` that were decoded already. */
export type Known<T> = { -readonly [Key in keyof T]?: T[Key] };

/** Decodes a property once. Used as `get text() { return remember(this.#known, "text", () => …) }`. */
export function remember<T, Key extends keyof T>(known: Known<T>, key: Key, decode: () => T[Key]): T[Key] {
	if (key in known) return known[key] as T[Key];
	const value = decode();
	known[key] = value;
	return value;
}
