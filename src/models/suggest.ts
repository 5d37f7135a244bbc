/** The candidates most like `word`, best first; none that has hardly a letter in common with it. */
export function suggest(word: string, candidates: readonly string[], limit = 3): string[] {
	const wanted = word.toLowerCase();
	return candidates
		.map((candidate) => ({ candidate, distance: difference(wanted, candidate.toLowerCase()) }))
		.filter(({ candidate, distance }) => distance <= Math.max(wanted.length, candidate.length) / 2)
		.sort((a, b) => a.distance - b.distance)
		.slice(0, limit)
		.map(({ candidate }) => candidate);
}

/** How many letters must be inserted, removed, replaced or swapped with their neighbour; a mere beginning counts as close. */
function difference(a: string, b: string): number {
	if (a !== "" && b.startsWith(a)) return Math.min(1, b.length - a.length);
	const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const at = (di: number, dj: number) =>
				(di === 0 ? row[j - dj] : rows[i - di]?.[j - dj]) ?? Number.POSITIVE_INFINITY;
			const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
			const replaced = at(1, 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
			row.push(Math.min(at(1, 0) + 1, at(0, 1) + 1, replaced, swapped ? at(2, 2) + 1 : Number.POSITIVE_INFINITY));
		}
		rows.push(row);
	}
	return rows[a.length]?.[b.length] ?? 0;
}
