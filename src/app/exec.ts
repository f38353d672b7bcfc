import { ptr } from "bun:ffi";
import { openLibc } from "../storage/content/filesystem/libc.ts";

/**
 * Replaces this process by another run of `file`, under the same process id and with the same open streams (execve(2)).
 * Returns only where that cannot be done. Whatever else the process was at is cut off: for its very beginning.
 */
export function exec(file: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>): void {
  const libc = openLibc({ execve: { args: ["ptr", "ptr", "ptr"], returns: "int" } });
  if (libc === null) return;
  const path = cString(file);
  const argv = [path, ...args.map(cString)];
  const envp = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [cString(`${name}=${value}`)],
  );
  libc.execve(ptr(path), ptr(nullTerminated(argv)), ptr(nullTerminated(envp)));
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

function nullTerminated(strings: readonly Buffer[]): BigUint64Array {
  return BigUint64Array.from([...strings.map((string) => BigInt(ptr(string))), 0n]);
}
