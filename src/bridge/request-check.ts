import type { IncomingMessage } from "node:http";

/** Largest request body, in bytes. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** The header that holds a run's secret. */
export const SECRET_HEADER = "x-pi-bridge-key";

export type RequestHead = Pick<IncomingMessage, "method" | "url" | "headers">;

export type HeadCheck =
	| { readonly kind: "ok"; readonly secret: string; readonly registration: string }
	| { readonly kind: "refused"; readonly status: 400 | 401 | 403 | 404 | 405 | 413 };

/**
 * Pure: what a request says before its body is read, or the status to refuse it with. A browser that a web page sends here
 * names itself by `Origin`, and by another `Host` when the page's name was pointed at this machine; agy does neither.
 */
export function checkHead({ method, url, headers }: RequestHead, port: number | undefined): HeadCheck {
	if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`) return refused(403);
	if (headers.origin !== undefined) return refused(403);
	const secret = headers[SECRET_HEADER];
	if (typeof secret !== "string" || secret === "") return refused(401);
	const registration = /^\/mcp\/([a-z-]{1,40})$/.exec(url ?? "")?.[1];
	if (registration === undefined) return refused(404);
	if (method !== "POST" && method !== "GET" && method !== "DELETE") return refused(405);
	const length = Number(headers["content-length"] ?? 0);
	if (length > MAX_BODY_BYTES) return refused(413);
	return { kind: "ok", secret, registration };
}

function refused(status: (HeadCheck & { kind: "refused" })["status"]): HeadCheck {
	return { kind: "refused", status };
}

/**
 * The protocol version a request may carry on with: agy announces `2026-07-28` and keeps it in the header whatever was
 * agreed (seen by people who run MCP servers for it), which the SDK would refuse.
 */
export function acceptedVersion(
	announced: string | null,
	known: readonly string[],
	newest: string,
): string | undefined {
	if (announced === null) return undefined;
	return known.includes(announced) ? announced : newest;
}
