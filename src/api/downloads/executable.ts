import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";

/** The program that runs this server. */
export interface Executable {
  /** What it runs on, such as `linux-x64-musl`. */
  readonly platform: string;
  readonly file: string;
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
}

/** Returns the running executable; null in a checkout, and if it may be executed but not read. */
export async function readOwnExecutable(platform: string | null): Promise<Executable | null> {
  if (platform === null) return null;
  try {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(FILE)) hash.update(chunk);
    return { platform, file: FILE, size: (await stat(FILE)).size, sha256: hash.digest("hex") };
  } catch {
    return null;
  }
}

// --- internal ---

/** On Linux this is the file that was started, also once an upgrade has replaced it under its name. */
const FILE = process.platform === "linux" ? "/proc/self/exe" : process.execPath;
