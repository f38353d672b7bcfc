import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adapted } from "../../../src/acceptance/testing/web-servers.ts";
import { HUB } from "./network.ts";

/** The configuration that the documentation shows. */
const CONFIGURATION = join(import.meta.dir, "..", "..", "..", "haproxy.cfg");

/**
 * Starts HAProxy with the documented configuration for nodes at these addresses. Only the addresses differ, and visitors
 * come without TLS.
 */
export async function startBalancer(folder: string, nodes: readonly string[]): Promise<void> {
  const file = join(folder, "haproxy.cfg");
  let next = 0;
  const configuration = adapted(readFileSync(CONFIGURATION, "utf8"), [
    [/^.*ssl crt.*\n/m, ""],
    [/^.*redirect scheme https.*\n/m, ""],
    [/^.*X-Forwarded-Proto.*\n/m, ""],
    [/bind :80\b/, `bind ${HUB}:80`],
    [/(?<=^ {2}server \w+ )\S+$/gm, () => `${nodes[next++ % nodes.length]}`],
  ]);
  writeFileSync(file, configuration);
  const balancer = Bun.spawn(["haproxy", "-f", file], {
    stdio: ["ignore", Bun.file(join(folder, "haproxy.log")), Bun.file(join(folder, "haproxy.log"))],
  });
  while (!(await isListening())) {
    if (balancer.exitCode !== null) throw new Error(readFileSync(join(folder, "haproxy.log"), "utf8"));
    await Bun.sleep(20);
  }
}

// --- internal ---

function isListening(): Promise<boolean> {
  const socket = { data() {} };
  return Bun.connect({ hostname: HUB, port: 80, socket }).then(
    (connection) => {
      connection.end();
      return true;
    },
    () => false,
  );
}
