import { readdirSync, readFileSync } from "node:fs";

/** Sends a signal to processes; one that has ended is left out. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {}
  }
}

/** Returns a process and its children. */
export function withChildren(parent: number): readonly number[] {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === parent);
  return [parent, ...children.map(Number)];
}

// --- internal ---

function parentOf(pid: string): number | null {
  try {
    // The name in parentheses may contain spaces.
    return Number(
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")[1],
    );
  } catch {
    return null;
  }
}
