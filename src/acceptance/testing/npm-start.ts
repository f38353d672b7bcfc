import { join } from "node:path";
import { executable } from "./executable.ts";

const SCRIPT = join(import.meta.dir, "..", "..", "..", "scripts", "start.ts");
const LAST_WORDS = "Ctrl-C stops it.";

/** A run of the script of `npm start`. It stops when it is disposed of. */
interface Start extends AsyncDisposable {
  /** What it has printed so far. */
  readonly printed: () => string;
  /** Null while it runs. */
  readonly status: number | null;
}

/** Runs the script of `npm start` in a folder. Resolves once it has printed everything, or has ended. */
export async function npmStart(folder: string, ...flags: readonly string[]): Promise<Start> {
  await executable();
  const child = Bun.spawn([process.execPath, SCRIPT, ...flags], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const runs = Promise.withResolvers<null>();
  let printed = "";
  const read = async (output: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of output) {
      printed += decoder.decode(chunk, { stream: true });
      if (printed.includes(LAST_WORDS)) runs.resolve(null);
    }
  };
  const ended = Promise.all([read(child.stdout), read(child.stderr)]).then(() => child.exited);
  return {
    printed: () => printed,
    status: await Promise.race([ended, runs.promise]),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Returns the password in the output of a start. */
export function passwordIn(printed: string): string {
  const [, password] = / {2}Sign in as demo with the password ([\w-]{12})\n/.exec(printed) ?? [];
  if (password === undefined) throw new Error(`no password in: ${printed}`);
  return password;
}
