import type { Turn } from "./turn.ts";
export async function replayTurn(_file: string, _turn: Turn): Promise<void> {}
