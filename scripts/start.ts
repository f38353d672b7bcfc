// `npm start`: builds the executable and runs it at http://localhost:8080, with a first user and an example site.
//   npm start -- [--listen ADDRESS] [--data-dir FOLDER] [--verbose]
// Other settings come from VITRINE_… variables as usual. Requests are logged with --verbose only.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { parseArgs } from "node:util";
import { Glob } from "bun";
import { makeLinks } from "../src/api/schemas/links.ts";
import { withDataFolder } from "../src/app/operator.ts";
import { type Config, ConfigError, loadConfig } from "../src/config/settings.ts";
import { DomainError } from "../src/domain/errors.ts";
import { StartFailure } from "../src/domain/start-failure.ts";
import { prepareDataFolder, UnusableDataFolder } from "../src/storage/folder/data-folder.ts";
import { prepareStorage } from "../src/storage/open.ts";
import { ENGINE_ENVIRONMENT } from "./engine-environment.ts";
import { checkPlace, shown } from "./start/check-place.ts";
import { deployExample, EXAMPLE_SITE } from "./start/example.ts";
import { FIRST_LOGIN, findFirstUser, prepareFirstUser } from "./start/first-user.ts";

const root = join(import.meta.dir, "..");
const executable = join(root, "dist", "vitrine");
const defaultFolder = join(root, "vitrine-data");

main().then(
  (status) => process.exit(status),
  (error: unknown) => process.exit(explain(error)),
);

async function main(): Promise<number> {
  const env = environment(readFlags());
  const wanted = loadConfig({ env });
  await checkPlace(wanted);
  if (isStale()) await build();
  const password = await prepareFolder(wanted);
  const server = spawn(executable, ["serve"], { env, stdio: ["ignore", "inherit", "pipe"] });
  const ended = new Promise<number>((resolve) => server.on("close", (status) => resolve(status ?? 1)));
  // At a terminal, Ctrl-C reaches the server as well, and a second SIGINT would end it at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => server.kill("SIGTERM"));
  const baseUrl = await untilRunning(server);
  if (baseUrl !== null) {
    const config = { ...wanted, baseUrl };
    const hasExample = await deployExample(config, executable, (reason) =>
      console.error(`The example site could not be deployed: ${reason}`),
    );
    console.log(banner(config, hasExample, await howToSignIn(config, password)));
  }
  return ended;
}

function readFlags() {
  const options = {
    listen: { type: "string" },
    "data-dir": { type: "string" },
    verbose: { type: "boolean", default: false },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new StartFailure(
      `${(error as Error).message}. Usage: npm start -- [--listen ADDRESS] [--data-dir FOLDER] [--verbose]`,
    );
  }
}

/** Returns the variables of the server, in which flags replace what the caller has set. */
function environment({
  listen,
  "data-dir": folder,
  verbose,
}: ReturnType<typeof readFlags>): Record<string, string | undefined> {
  return {
    ...ENGINE_ENVIRONMENT,
    VITRINE_DATA_DIR: defaultFolder,
    VITRINE_LOG_LEVEL: "warn",
    ...process.env,
    ...(listen !== undefined && { VITRINE_LISTEN: listen }),
    ...(folder !== undefined && { VITRINE_DATA_DIR: folder }),
    ...(verbose && { VITRINE_LOG_LEVEL: "info" }),
  };
}

/** Returns whether a source file is newer than the executable. */
function isStale(): boolean {
  if (!existsSync(executable)) return true;
  const built = statSync(executable).mtimeMs;
  const sources = ["package.json", "bun.lock", ...new Glob("{src,public}/**/*").scanSync(root)];
  return sources.some((file) => !file.endsWith(".test.ts") && statSync(join(root, file)).mtimeMs > built);
}

async function build(): Promise<void> {
  console.error("Building dist/vitrine ...");
  const { exited } = Bun.spawn([process.execPath, "scripts/build.ts"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await exited) !== 0) process.exit(1);
}

/** Creates the data folder before the server starts, which would print a set-up link otherwise. */
async function prepareFolder(config: Config): Promise<string | null> {
  const { dataDir, database, content } = config;
  await prepareStorage(prepareDataFolder(dataDir), { database, hasBucket: content !== null });
  return withDataFolder(config, prepareFirstUser);
}

/** Prints what the server says. Resolves with its base URL once it is running; null if it ends before. */
function untilRunning(server: ChildProcessByStdio<null, null, Readable>): Promise<string | null> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: server.stderr });
    lines.on("close", () => resolve(null));
    lines.on("line", (line) => {
      const [, baseUrl] = /Vitrine is running at (https?:\/\/[^\s"]+)/.exec(line) ?? [];
      if (baseUrl === undefined) console.error(line);
      else resolve(baseUrl);
    });
  });
}

/** Returns what to open and what to try next, for a terminal of 80 columns. */
function banner({ baseUrl, sitesDomain, dataDir }: Config, hasExample: boolean, signIn: string): string {
  const example = makeLinks(baseUrl, sitesDomain).site(EXAMPLE_SITE);
  const width = Math.max(example.length, baseUrl.length);
  const pages = [
    ...(hasExample ? [`${example.padEnd(width)}   the example site`] : []),
    `${baseUrl.padEnd(width)}   the dashboard`,
  ];
  return `
  Vitrine is running. Open

    ${pages.join("\n    ")}

  ${signIn}

  Then try, in a second terminal,

    dist/vitrine login --server ${baseUrl}
    dist/vitrine deploy scripts/welcome --site welcome   once you changed it
    dist/vitrine deployments list welcome                to see its history

  Everything is kept in ${shown(dataDir)}. Ctrl-C stops it.
`;
}

/** Explains how to sign in, also if the password cannot be shown, because the user has signed in with it. */
async function howToSignIn(config: Config, password: string | null): Promise<string> {
  if (password !== null) return `Sign in as ${FIRST_LOGIN} with the password ${password}`;
  const folder = config.dataDir === defaultFolder ? "" : ` --data-dir ${shown(config.dataDir)}`;
  const user = await withDataFolder(config, findFirstUser);
  if (user === null) return `Sign in with your account. All accounts: dist/vitrine users list${folder}`;
  return `Sign in as ${FIRST_LOGIN}. If you forgot the password: dist/vitrine users passwd ${FIRST_LOGIN}${folder}`;
}

/** Prints an error and returns the exit status. One that the caller can fix is one line. */
function explain(error: unknown): number {
  const expected = [StartFailure, ConfigError, UnusableDataFolder, DomainError];
  const isExpected = expected.some((known) => error instanceof known);
  console.error(isExpected ? (error as Error).message : error);
  return 1;
}
