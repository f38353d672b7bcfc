// `npm start`: builds the executable and runs it at http://localhost:8080. The first start creates a user and an
// example site. Settings come from VITRINE_… variables as usual.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { prepareDatabase, prepareDataFolder } from "../src/storage/folder/data-folder.ts";
import { ENGINE_ENVIRONMENT } from "./engine-environment.ts";

const root = join(import.meta.dir, "..");
const executable = join(root, "dist", "vitrine");
const dataDir = process.env.VITRINE_DATA_DIR ?? join(root, "vitrine-data");
const env = { ...ENGINE_ENVIRONMENT, ...process.env, VITRINE_DATA_DIR: dataDir };
const LOGIN = "demo";

/** Returns whether a source file is newer than the executable. */
function isStale(): boolean {
  if (!existsSync(executable)) return true;
  const built = statSync(executable).mtimeMs;
  const sources = ["package.json", "bun.lock", ...new Glob("{src,public}/**/*").scanSync(root)];
  return sources.some((file) => statSync(join(root, file)).mtimeMs > built);
}

async function build(): Promise<void> {
  console.error("Building dist/vitrine ...");
  const { exited } = Bun.spawn([process.execPath, "scripts/build.ts"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await exited) !== 0) process.exit(1);
}

/** Runs a vitrine command and returns its output. If the command fails, exits with its error message. */
function vitrine(args: string[], options: { stdin?: string; env?: Record<string, string> } = {}): string {
  const result = Bun.spawnSync([executable, ...args], {
    cwd: root,
    env: { ...env, ...options.env },
    stdin: Buffer.from(options.stdin ?? ""),
    stderr: "pipe",
  });
  if (result.exitCode === 0) return result.stdout.toString().trim();
  console.error(result.stderr.toString());
  throw new Error(`vitrine ${args.join(" ")} failed`);
}

/** Resolves with the base address once the server responds. Rejects if the server exits before. */
async function started(server: Bun.Subprocess, baseUrl: string): Promise<void> {
  while (server.exitCode === null) {
    const healthy = await fetch(`${baseUrl}/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (healthy) return;
    await Bun.sleep(50);
  }
  process.exit(server.exitCode || 1);
}

/** Returns the logins of all users. */
function logins(): string[] {
  return JSON.parse(vitrine(["users", "list", "--json"])).map(({ login }: { login: string }) => login);
}

/** Adds the first user and returns the generated password. */
function addFirstUser(): string {
  const password = Buffer.from(crypto.getRandomValues(new Uint8Array(9))).toString("base64url");
  vitrine(["users", "add", LOGIN, "--password-stdin"], { stdin: `${password}\n` });
  return password;
}

function deployExample(baseUrl: string): void {
  const token = vitrine(["users", "session", LOGIN, "--ttl", "1h"]);
  const folder = join(root, "scripts", "welcome");
  vitrine(["deploy", folder, "--site", "welcome"], { env: { VITRINE_SERVER: baseUrl, VITRINE_TOKEN: token } });
}

/** Explains how to sign in, also when an earlier start created the password, which cannot be displayed again. */
function howToSignIn(password: string | null): string {
  if (password !== null) return `sign in as ${LOGIN} with the password ${password}`;
  if (!logins().includes(LOGIN)) return "sign in with your account; all accounts: dist/vitrine users list";
  return `sign in as ${LOGIN} with the password of the first start; a new one: dist/vitrine users passwd ${LOGIN}`;
}

if (isStale()) await build();
// Creates the data folder before the server starts. Otherwise the server would print a set-up link.
await prepareDatabase(prepareDataFolder(dataDir));
const password = logins().length === 0 ? addFirstUser() : null;
const port = /:(\d+)$/.exec(process.env.VITRINE_LISTEN ?? "")?.[1] ?? "8080";
const baseUrl = process.env.VITRINE_BASE_URL ?? `http://localhost:${port}`;
const server = Bun.spawn([executable, "serve"], { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => server.kill(signal));
await started(server, baseUrl);

if (password) deployExample(baseUrl);
const { protocol, host } = new URL(baseUrl);
console.log(`
  Vitrine is running. Open

    ${protocol}//welcome.${host}      the example site
    ${baseUrl}              the dashboard: ${howToSignIn(password)}

  Then try, in a second terminal,

    dist/vitrine login --server ${baseUrl}
    dist/vitrine deploy scripts/welcome --site welcome     deploy a folder; change a page first
    dist/vitrine deployments list welcome                  and see its history

  Everything is kept in ${dataDir}. Ctrl-C stops it.
`);
process.exit(await server.exited);
