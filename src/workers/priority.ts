import { setPriority } from "node:os";

/**
 * Gives other threads priority over this one (0 is normal, 19 the lowest). Returns whether that worked. On Linux a
 * priority belongs to a thread, elsewhere to the process, which must keep its own.
 */
export function lowerPriority(priority: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    setPriority(0, priority);
    return true;
  } catch {
    return false;
  }
}
