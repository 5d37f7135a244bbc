import type { ToolFacts } from "../tool-facts.ts";
import type { Message } from "../wire.ts";
import { argsOf } from "./args.ts";

/** CortexStepSearchWeb {1 query, 2 web_documents {3 url, 4 title}, 3 domain, 5 summary}. */
export function searchWeb(body: Message): ToolFacts {
	return {
		kind: "web",
		get args() {
			return argsOf({ query: body.text(1), domain: body.text(3) });
		},
		get output() {
			const sources = body.messages(2).map((page) => [page.text(4), page.text(3)].filter(Boolean).join(" "));
			const parts = [body.text(5), sources.filter(Boolean).join("\n")];
			return parts.filter(Boolean).join("\n\n") || undefined;
		},
	};
}

/**
 * CortexStepReadUrlContent {1 url, 2 web_document {2 text, 7 summary}, 3 resolved_url, 5 user_rejected, 6 content_path}.
 */
export function readUrl(body: Message): ToolFacts {
	return {
		kind: "url",
		get args() {
			return argsOf({ Url: body.text(1) || body.text(3) });
		},
		get output() {
			const page = body.message(2);
			return page.text(2) || page.text(7) || body.text(6) || undefined;
		},
		get rejected() {
			return body.flag(5);
		},
	};
}
