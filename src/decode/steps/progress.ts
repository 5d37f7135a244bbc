/** How far a tool is, as MCP and generic steps tell it: "3/10 fetching", "3 fetching", "fetching". */
export function progressText(progress: number, total: number, message: string): string | undefined {
	const count = total > 0 ? `${rounded(progress)}/${rounded(total)}` : progress > 0 ? rounded(progress) : "";
	return [count, message].filter(Boolean).join(" ") || undefined;
}

function rounded(value: number): string {
	return String(Math.round(value * 100) / 100);
}
