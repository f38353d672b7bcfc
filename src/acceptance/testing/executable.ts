import { chmodSync, copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { runCli } from "../../cli/testing/run-cli.ts";
import { makeDataFolder } from "../../storage/data-folder/testing/make-data-folder.ts";
import { isNewerThanSources } from "../../testing/newer-than-sources.ts";
import { spawnToEnd } from "../../testing/spawn-to-end.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const EXECUTABLE = join(ROOT, "dist", "vitrine");

let built: Promise<string> | null = null;

/** Returns the compiled program. The first call builds it if it is missing or older than the sources. */
export function executable(): Promise<string> {
  built ??= build();
  return built;
}

let copied: string | null = null;

/** Returns a copy of the program that every user of the machine can run. */
export async function publicExecutable(): Promise<string> {
  if (copied) return copied;
  const { path } = scratchFolder();
  chmodSync(path, 0o755);
  copied = join(path, "vitrine");
  copyFileSync(await executable(), copied);
  chmodSync(copied, 0o755);
  return copied;
}

async function build(): Promise<string> {
  if (isNewerThanSources(EXECUTABLE)) return EXECUTABLE;
  // Built under another name and renamed, because another test file may be running the existing one.
  const aside = `${EXECUTABLE}.${process.pid}`;
  await Bun.$`${process.execPath} scripts/build.ts --outfile=${aside}`.cwd(ROOT).quiet();
  renameSync(aside, EXECUTABLE);
  return EXECUTABLE;
}

/** A serving process of the compiled program. */
export interface ServingProcess {
  readonly process: Subprocess<"ignore", "pipe", "pipe">;
  readonly baseUrl: string;
  readonly port: number;
  /** Milliseconds from the start of the process until it serves. */
  readonly startedIn: number;
  /** The output on stderr so far. */
  readonly said: () => string;
  /** Resolves with the status when the process has exited and its output was read. */
  readonly ended: Promise<number>;
  /** Ends the process. Resolves as `ended` does. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number>;
  /** Sends a request to the API, to a site, or to the `Host` among the headers. */
  fetch(path: string, init?: RequestInit & { readonly site?: string }): Promise<Response>;
}

/** Runs a command of the compiled program. */
export async function run(args: readonly string[], { input = "", env = {} }: RunOptions = {}) {
  return spawnToEnd([await executable(), ...args], { env: { ...process.env, ...env }, input });
}

interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the compiled program on a free port. Resolves when it serves. Rejects with its output if it exits. */
export async function startProcess(
  dataDir: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<ServingProcess> {
  const program = await executable();
  const started = performance.now();
  const child = Bun.spawn(
    [program, "serve", "--data-dir", dataDir, "--listen", "127.0.0.1:0", "--workers", "2", ...flags],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe", env: { ...process.env, ...env } },
  );
  const { baseUrl, said, ended } = await untilServing(child);
  const port = Number(new URL(baseUrl).port);
  return {
    process: child,
    baseUrl,
    port,
    startedIn: performance.now() - started,
    said,
    ended,
    end(signal) {
      child.kill(signal);
      return ended;
    },
    fetch: (path, { site, ...init } = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        redirect: "manual",
        ...init,
        headers: { Host: `${site ? `${site}.` : ""}localhost:${port}`, ...(init.headers as Record<string, string>) },
      }),
  };
}

async function untilServing(child: Subprocess<"ignore", "pipe", "pipe">) {
  let text = "";
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      text += decoder.decode(chunk, { stream: true });
      // Includes the character after the port, because without it the port may be incomplete.
      const [, baseUrl] = /(https?:\/\/\S+:\d+)\D/.exec(text) ?? [];
      if (baseUrl) resolve(baseUrl);
    }
    const status = await child.exited;
    reject(new Error(`the program ended with ${status}: ${text}`));
    return status;
  };
  const ended = read();
  ended.catch(reject);
  return { baseUrl: await promise, said: () => text, ended };
}

/** Folders to remove at exit: a script that calls process.exit does not dispose of anything. */
const scratchFolders = new Set<string>();
process.on("exit", () => scratchFolders.forEach(removeFolder));

/** A folder for one test or script, which is removed afterwards. */
export function scratchFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "vitrine-run-"));
  scratchFolders.add(path);
  return { path, [Symbol.dispose]: () => removeFolder(path) };
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
  scratchFolders.delete(path);
}

/**
 * Adds a user to the data folder, which is created if necessary. Returns a session token. The commands run in this
 * process, because starting the program takes most of their CPU time.
 */
export async function signUp(dataDir: string, login: string): Promise<string> {
  await makeDataFolder(dataDir);
  const input = "correct horse battery\n";
  await runCli(["users", "add", login, "--password-stdin", "--data-dir", dataDir], {}, input);
  const { stdout, stderr, status } = await runCli(["users", "session", login, "--data-dir", dataDir]);
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Deploys an archive with a raw form. Resolves with any response. */
export function deploy(server: ServingProcess, token: string, site: string, archive: Uint8Array): Promise<Response> {
  const body = new FormData();
  body.set("file", new Blob([archive as Uint8Array<ArrayBuffer>]), "site.zip");
  return server.fetch("/deploy", {
    method: "POST",
    body,
    headers: { Authorization: `Bearer ${token}`, "X-Service-Site": site },
  });
}
