import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { ENGINE_ENVIRONMENT } from "../../engine-environment.ts";
import { HUB, type NodeNetwork } from "./network.ts";

/** The host of the API; sites are below it. */
export const BASE = "pages.test";
export const NODE_PORT = 8080;

/** One of several servers with the same database and the same bucket. */
export interface ClusterNode {
  readonly name: string;
  readonly network: NodeNetwork;
  /** Starts the process. Resolves when it answers. */
  start(): Promise<void>;
  /** Changes what `start` runs. */
  replaceExecutable(executable: string): void;
  /** Whether a path of the node itself is answered 200, within a second. */
  responds(path: "/ready" | "/health"): Promise<boolean>;
  signal(signal: NodeJS.Signals): void;
  /** The file with what the current process has written to stderr. */
  log(): string;
  /** Resolves when the process has ended. */
  ended(): Promise<number>;
}

interface NodeSettings {
  readonly executable: string;
  readonly folder: string;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function newNode(name: string, network: NodeNetwork, settings: NodeSettings): ClusterNode {
  const dataDir = join(settings.folder, name);
  mkdirSync(dataDir, { mode: 0o700 });
  let child: Subprocess | null = null;
  let logFile = "";
  let { executable } = settings;
  const responds = (path: string) =>
    fetch(`http://${network.address}:${NODE_PORT}${path}`, {
      keepalive: false,
      signal: AbortSignal.timeout(1000),
    }).then(
      ({ status }) => status === 200,
      () => false,
    );
  return {
    name,
    network,
    responds,
    async start() {
      const flags = [
        ...["--data-dir", dataDir, "--listen", `${network.address}:${NODE_PORT}`, "--base-url", `http://${BASE}`],
        ...["--node-name", name, "--trusted-proxies", `${HUB}/32`, "--workers", "2", ...settings.flags],
      ];
      logFile = join(settings.folder, `${name}-${Date.now()}.log`);
      const log = Bun.file(logFile);
      const started = Bun.spawn([...network.enter, executable, "serve", ...flags], {
        env: { ...process.env, ...ENGINE_ENVIRONMENT, ...settings.env },
        stdio: ["ignore", "ignore", log],
      });
      child = started;
      while (!(await responds("/health"))) {
        if (started.exitCode !== null) throw new Error(`${name} ended: ${await log.text()}`);
        await Bun.sleep(50);
      }
    },
    replaceExecutable: (next) => {
      executable = next;
    },
    log: () => logFile,
    signal: (signal) => child?.kill(signal),
    ended: async () => (await child?.exited) ?? 0,
  };
}
