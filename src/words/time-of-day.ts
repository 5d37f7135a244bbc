/** When, and in which time zone, a time is read. Without a zone it is the machine's. */
export interface Viewpoint {
	/** Milliseconds since the epoch. */
	readonly now: number;
	readonly timeZone?: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** `17:40`, or `Thu 26 Nov, 09:00` when that is not within the next 24 hours. Takes milliseconds since the epoch. */
export function formatTime(at: number, { now, timeZone }: Viewpoint): string {
	const near = at - now < DAY_MS;
	const format = new Intl.DateTimeFormat("en-GB", {
		...(!near && { weekday: "short", day: "numeric", month: "short" }),
		hour: "2-digit",
		minute: "2-digit",
		...(timeZone !== undefined && { timeZone }),
	});
	return format.format(at).replace(/^(\w{3}),/, "$1");
}
