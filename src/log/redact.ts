import type { JsonObject, JsonValue } from "../engine/events.ts";
import { isJsonObject } from "../engine/json.ts";

const REDACTED = "[redacted]";

/** Things that open a door wherever they stand. */
const SECRETS: readonly RegExp[] = [
	/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
	// Google: access tokens, refresh tokens, codes to paste after signing in, API keys, client secrets.
	/\bya29\.[\w.-]+/g,
	/\b1\/\/[\w-]{20,}/g,
	/\b4\/[\w-]{20,}/g,
	/\bAIza[\w-]{30,}/g,
	/\bGOCSPX-[\w-]+/g,
	// JSON web tokens, and the keys of other services that a prompt or a command may hold.
	/\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g,
	/\b(?:sk|pk|rk)-[\w-]{16,}/g,
	/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_)[\w-]{10,}/g,
	/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
];

/** A name that promises a secret, and the value that follows it. */
const NAMED: readonly RegExp[] = [
	/((?:api[_-]?key|access[_-]?key|token|secret|passw(?:or)?d|credential|cookie|authorization)["']?\s{0,3}[:=]\s{0,3}["']?(?:(?:bearer|basic)\s{1,3})?)[^\s"',;&)]{6,}/gi,
	/(--[\w-]{0,40}(?:key|token|secret|password)\s{1,3}|\bbearer\s{1,3})[^\s"',;&)]{6,}/gi,
];
const SECRET_NAME =
	/api[_-]?key|access[_-]?key|secret|passw(?:or)?d|credential|authorization|cookie|csrf|(?:^|[_-])(?:access|auth|id|refresh|oauth)?[_-]?token$/i;
const URL = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)(?:[^\s/@"'<>]{1,200}@)?([^\s?#"'<>]{1,2000})(?:[?#][^\s"'<>]*)?/gi;

/**
 * Takes out of `text` what must not be in a log: tokens and keys, what a URL carries behind `?` or `#` (sign-in codes
 * travel there) or before `@`, and the user's name in paths below `home`.
 */
export function redact(text: string, home: string): string {
	let clean = text.replace(URL, (url: string, scheme: string, rest: string) =>
		/[?#]/.test(url) ? `${scheme}${rest}?${REDACTED}` : `${scheme}${rest}`,
	);
	for (const secret of SECRETS) clean = clean.replace(secret, REDACTED);
	for (const named of NAMED) clean = clean.replace(named, `$1${REDACTED}`);
	return home.length > 1 ? clean.replaceAll(home, "~") : clean;
}

/** `redact` for every text in it; the value of a key that names a secret goes whole. Texts are cut at `maxLength`. */
export function redactFacts(
	facts: Readonly<Record<string, JsonValue | undefined>>,
	home: string,
	maxLength: number,
): JsonObject {
	const clean: Record<string, JsonValue> = {};
	for (const [key, value] of Object.entries(facts)) {
		if (value !== undefined) clean[key] = redactValue(key, value, home, maxLength);
	}
	return clean;
}

function redactValue(key: string, value: JsonValue, home: string, maxLength: number): JsonValue {
	if (typeof value === "string") {
		if (SECRET_NAME.test(key)) return REDACTED;
		const clean = redact(value.slice(0, maxLength * 2), home);
		const isCut = clean.length > maxLength || value.length > maxLength * 2;
		return isCut ? `${clean.slice(0, maxLength)}… (${value.length} characters)` : clean;
	}
	if (isJsonObject(value)) return redactFacts(value, home, maxLength);
	if (Array.isArray(value)) return value.map((entry: JsonValue) => redactValue(key, entry, home, maxLength));
	return value;
}
