import { existsSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob, type Subprocess } from "bun";
import { makeDataFolder } from "../../storage/data-folder/testing/make-data-folder.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const EXECUTABLE = join(ROOT, "dist", "vitrine");

let built: Promise<string> | null = null;

/** Returns the compiled program, built at the first call where it is missing or older than the sources. */
export function executable(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const sources = new Glob("{src,public}/**/*").scanSync({ cwd: ROOT, absolute: true });
  const builtAt = existsSync(EXECUTABLE) ? statSync(EXECUTABLE).mtimeMs : 0;
  const outdated = [...sources].some((file) => !file.endsWith(".test.ts") && statSync(file).mtimeMs > builtAt);
  if (!outdated) return EXECUTABLE;
  // Built aside and renamed: another test file may be running the one there is.
  const aside = `${EXECUTABLE}.${process.pid}`;
  await Bun.$`${process.execPath} scripts/build.ts --outfile=${aside}`.cwd(ROOT).quiet();
  renameSync(aside, EXECUTABLE);
  return EXECUTABLE;
}

/** A process of the compiled program that serves. */
export interface ServingProcess {
  readonly process: Subprocess<"ignore", "pipe", "pipe">;
  readonly baseUrl: string;
  readonly port: number;
  /** Milliseconds from the start of the process to its first word that it serves. */
  readonly startedIn: number;
  /** Everything said on stderr so far. */
  readonly said: () => string;
  /** Resolves with the status when the process has ended and everything that it said has been read. */
  readonly ended: Promise<number>;
  /** A request to the API, to the site whose host label is given, or to the `Host` among the headers. */
  fetch(path: string, init?: RequestInit & { readonly site?: string }): Promise<Response>;
}

/** Runs a command of the compiled program to its end. */
export async function run(args: readonly string[], { input = "", ...options }: RunOptions = {}) {
  const child = Bun.spawn([await executable(), ...args], {
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...options.env },
  });
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, status };
}

interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the compiled program on a free port and resolves when it serves; rejects with what it said when it ends. */
export async function startProcess(
  dataDir: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
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
      // With what follows the port: without it the port may have more digits.
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

/** Folders that are still there: a script that ends with a status disposes of nothing. */
const scratchFolders = new Set<string>();
process.on("exit", () => scratchFolders.forEach(removeFolder));

/** A folder for one test or script, gone afterwards. */
export function scratchFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "vitrine-run-"));
  scratchFolders.add(path);
  return { path, [Symbol.dispose]: () => removeFolder(path) };
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
  scratchFolders.delete(path);
}

/** Adds a person to the data folder, made where it is missing, and returns a session token of theirs. */
export async function signUp(dataDir: string, login: string): Promise<string> {
  await makeDataFolder(dataDir);
  await run(["users", "add", login, "--password-stdin", "--data-dir", dataDir], { input: "correct horse battery\n" });
  const { stdout, stderr, status } = await run(["users", "session", login, "--data-dir", dataDir]);
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Deploys an archive with a raw form; resolves with the answer, whatever it is. */
export function deploy(server: ServingProcess, token: string, site: string, archive: Uint8Array): Promise<Response> {
  const body = new FormData();
  body.set("file", new Blob([archive as Uint8Array<ArrayBuffer>]), "site.zip");
  return server.fetch("/deploy", {
    method: "POST",
    body,
    headers: { Authorization: `Bearer ${token}`, "X-Service-Site": site },
  });
}
