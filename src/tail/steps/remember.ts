/**
 * Puts a decoded value in place of the getter it came from, so that it is decoded once. Used as
 * `get text() { return remember(this, "text", …) }`.
 */
export function remember<T extends object, K extends keyof T>(target: T, key: K, value: T[K]): T[K] {
	Object.defineProperty(target, key, { value, enumerable: true });
	return value;
}
