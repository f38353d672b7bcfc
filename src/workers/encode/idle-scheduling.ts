import { ptr } from "bun:ffi";
import { openLibc } from "../../storage/content/filesystem/libc.ts";

/** The number of sched_setattr(2): the C library of musl refuses to set policies, the kernel does not. */
const SYSTEM_CALL = process.arch === "arm64" ? 274 : 314;
const POLICY_IDLE = 5;
/** The first version of `struct sched_attr`: its size, then the policy, then what this policy does not look at. */
const ATTRIBUTE_BYTES = 48;

/**
 * Lets this thread run only while nothing else wants its core, and makes way at once when something does (SCHED_IDLE);
 * returns whether that worked. A thread that is merely nice is let finish its slice: a visitor waits 2 to 5 ms for it.
 */
export function runOnlyWhenIdle(): boolean {
  const libc = openLibc({ syscall: { args: ["i64", "i64", "ptr", "i64"], returns: "int" } });
  if (libc === null) return false;
  const attributes = new Uint32Array(ATTRIBUTE_BYTES / Uint32Array.BYTES_PER_ELEMENT);
  attributes[0] = ATTRIBUTE_BYTES;
  attributes[1] = POLICY_IDLE;
  return libc.syscall(SYSTEM_CALL, 0, ptr(attributes), 0) === 0;
}
