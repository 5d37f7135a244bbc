/** A conversation that appeared in agy's folder since the snapshot that was taken before agy was started. */
export interface NewConversation {
	readonly id: string;
	/**
	 * The conversation that started it, where its metadata names one: it is a subagent's. `unread`: the database cannot be
	 * read yet.
	 */
	readonly parent: { readonly kind: "none" | "unread" } | { readonly kind: "child"; readonly of: string };
}

/** What is known about which conversation our agy writes, at one moment. */
export interface DiscoveryFacts {
	/** The conversation agy was told to continue. */
	readonly resume: string | undefined;
	/** agy said on stderr that it did not find it. */
	readonly resumeRefused: boolean;
	/** The databases our process tree has open; undefined where that cannot be seen (Windows), or agy is gone. */
	readonly open: readonly string[] | undefined;
	/** What appeared since the snapshot, without those that other runs are known to write. */
	readonly appeared: readonly NewConversation[];
	/** The database of `resume` changed since the snapshot. */
	readonly resumeTouched: boolean;
}

/**
 * Whether it is known which conversation our agy writes. (What a pi session keeps of its conversations, in `src/conversation/`, is
 * called a binding as well.)
 */
export type Binding =
	| {
			readonly kind: "bound";
			readonly id: string;
			readonly by: "stdout" | "open-file" | "new-file" | "resumed";
			/** What agy was told to continue, when it started `id` instead. */
			readonly insteadOf?: string;
	  }
	/** Not yet. `candidates` is what could be ours; when agy ends in this state the run is refused. */
	| { readonly kind: "wait"; readonly candidates: readonly string[] };

export type Bound = Extract<Binding, { kind: "bound" }>;

/** Pure: agy itself names the conversation (stream-json), which decides. `resume`: the one it was told to continue. */
export function bindingByName(id: string, resume: string | undefined): Bound {
	return bound(id, "stdout", { resume });
}

/**
 * Pure: which conversation is ours, while agy has not named it: the one database that our own process tree has open; and only
 * where open files cannot be seen, the one new database that is nobody's child. Never the newest of several.
 */
export function decideBinding(facts: DiscoveryFacts): Binding {
	const { open } = facts;
	return open === undefined ? decideByChanges(facts) : decideByOpenFiles(open, facts);
}

function decideByOpenFiles(open: readonly string[], facts: DiscoveryFacts): Binding {
	const { resume, resumeRefused, appeared } = facts;
	const isResuming = resume !== undefined && !resumeRefused;
	if (isResuming && open.includes(resume)) return bound(resume, "open-file", facts);
	const children = new Set(appeared.flatMap(({ id, parent }) => (parent.kind === "child" ? [id] : [])));
	const known = new Set(appeared.map(({ id }) => id));
	// An old database that is open without having been asked for is one agy looks into, not the one it writes.
	const candidates = open.filter((id) => known.has(id) && !children.has(id));
	const [only, ...more] = candidates;
	if (only === undefined || more.length > 0) return { kind: "wait", candidates };
	// That agy began another conversation than it was told to continue is only believed when it is surely no subagent's.
	const isRoot = appeared.some(({ id, parent }) => id === only && parent.kind === "none");
	return isResuming && !isRoot ? { kind: "wait", candidates } : bound(only, "open-file", facts);
}

function decideByChanges(facts: DiscoveryFacts): Binding {
	const { resume, resumeRefused, resumeTouched, appeared } = facts;
	if (resume !== undefined && !resumeRefused) {
		return resumeTouched ? bound(resume, "resumed", facts) : { kind: "wait", candidates: [resume] };
	}
	const candidates = appeared.filter(({ parent }) => parent.kind !== "child");
	const [only] = candidates;
	// One that cannot be read yet may still turn out to be a subagent's.
	return only !== undefined && candidates.length === 1 && only.parent.kind === "none"
		? bound(only.id, "new-file", facts)
		: { kind: "wait", candidates: candidates.map(({ id }) => id) };
}

function bound(id: string, by: Bound["by"], { resume }: Pick<DiscoveryFacts, "resume">): Bound {
	const replaced = resume !== undefined && resume !== id ? { insteadOf: resume } : {};
	return { kind: "bound", id, by, ...replaced };
}
