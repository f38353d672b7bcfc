import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnAtTerminal, type TerminalSession } from "../../cli/testing/pseudo-terminal.ts";
import type { CliResult } from "../../cli/testing/run-cli.ts";
import { spawnToEnd } from "../../testing/spawn-to-end.ts";

type Environment = Record<string, string>;

/** The npm package of a server, on Node.js. */
export interface NpmClient {
  readonly program: string;
  run(args: readonly string[], env?: Environment, input?: string): Promise<CliResult>;
  atTerminal(args: readonly string[], env?: Environment): TerminalSession;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Installs the npm package of a running server. */
export async function installNpmClient(baseUrl: string): Promise<NpmClient> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-npm-"));
  const install = ["npm", "install", "--global", "--prefix", folder, `${baseUrl}/vitrine.tgz`];
  const installed = await spawnToEnd(install, { env: npmEnvironment(folder) });
  if (installed.status !== 0) throw new Error(`npm failed: ${installed.stderr}`);
  const program = join(folder, "bin", "vitrine");
  const path = { PATH: process.env.PATH ?? "" };
  return {
    program,
    run(args, env = {}, input = "") {
      return spawnToEnd([program, ...args], { env: { ...path, ...env }, input }) as Promise<CliResult>;
    },
    atTerminal: (args, env) => spawnAtTerminal([program, ...args], env),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** The environment in which npm keeps to a folder. Its registry refuses connections. */
export function npmEnvironment(folder: string): Environment {
  return {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    npm_config_cache: join(folder, ".npm"),
    npm_config_registry: "http://127.0.0.1:1",
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
  };
}
