import { setPriority } from "node:os";

/**
 * Lets threads of a better priority go before this one (0 is usual, 19 the last); returns whether that worked. On Linux
 * a priority belongs to a thread, elsewhere to the process, which must keep its own.
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
