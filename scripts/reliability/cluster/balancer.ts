import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HUB } from "./network.ts";

/** The configuration that the documentation shows. */
const CONFIGURATION = join(import.meta.dir, "..", "..", "..", "haproxy.cfg");

/**
 * Starts HAProxy with the documented configuration for nodes at these addresses. Only the addresses differ, and visitors
 * come without TLS.
 */
export async function startBalancer(folder: string, nodes: readonly string[]): Promise<void> {
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, adaptBalancer(readFileSync(CONFIGURATION, "utf8"), nodes));
  const balancer = Bun.spawn(["haproxy", "-f", file], {
    stdio: ["ignore", Bun.file(join(folder, "haproxy.log")), Bun.file(join(folder, "haproxy.log"))],
  });
  while (!(await isListening())) {
    if (balancer.exitCode !== null) throw new Error(readFileSync(join(folder, "haproxy.log"), "utf8"));
    await Bun.sleep(20);
  }
}

/** Replaces what depends on the machine. Throws if the configuration has another form. */
function adaptBalancer(configuration: string, nodes: readonly string[]): string {
  let next = 0;
  const replacements: readonly (readonly [RegExp, string | (() => string)])[] = [
    [/^.*ssl crt.*\n/m, ""],
    [/^.*redirect scheme https.*\n/m, ""],
    [/^.*X-Forwarded-Proto.*\n/m, ""],
    [/bind :80\b/, `bind ${HUB}:80`],
    [/(?<=^ {2}server \w+ )\S+$/gm, () => `${nodes[next++ % nodes.length]}`],
  ];
  return replacements.reduce((text, [from, to]) => {
    const replaced = text.replace(from, to as string);
    if (replaced === text) throw new Error(`haproxy.cfg has no ${from}`);
    return replaced;
  }, configuration);
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
