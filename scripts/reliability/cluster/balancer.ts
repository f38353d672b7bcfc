import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adapted } from "../../../src/acceptance/testing/web-servers.ts";
import type { Answering } from "./history.ts";
import { HUB } from "./network.ts";
import { type ClusterNode, NODE_PORT } from "./node.ts";

/** The header that says which backend and which node has answered. */
const ANSWERED_BY = "Answered-By";

/** Returns who answered behind the balancer; undefined for a response that did not pass through it. */
export function answeringNode(headers: Headers): Answering | undefined {
  const [backend, node] = headers.get(ANSWERED_BY)?.split("/") ?? [];
  return node === undefined ? undefined : { node, isReady: backend === "nodes" };
}

/** The configuration that the documentation shows. */
const CONFIGURATION = join(import.meta.dir, "..", "..", "..", "haproxy.cfg");

/**
 * Starts HAProxy with the documented configuration for these nodes. Only their names and addresses differ, visitors come
 * without TLS, and responses say who has answered.
 */
export async function startBalancer(folder: string, nodes: readonly ClusterNode[]): Promise<void> {
  const file = join(folder, "haproxy.cfg");
  const servers = nodes.map(({ name, network }) => `${name} ${network.address}:${NODE_PORT}`);
  let next = 0;
  const configuration = adapted(readFileSync(CONFIGURATION, "utf8"), [
    [/^.*ssl crt.*\n/m, ""],
    [/^.*redirect scheme https.*\n/m, ""],
    [/^.*X-Forwarded-Proto.*\n/m, ""],
    [/bind :80\b/, `bind ${HUB}:80`],
    [/(?<=^ {2}server )\w+ \S+$/gm, () => servers[next++ % servers.length] as string],
    [/^backend .*$/gm, (backend) => `${backend}\n  http-response set-header ${ANSWERED_BY} %b/%s`],
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
