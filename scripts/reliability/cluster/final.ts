import { PATHS } from "./archives.ts";
import type { Clients, Target } from "./clients.ts";
import type { FoundSite } from "./history.ts";

const AT_A_TIME = 8;

/**
 * Reads every site and every file of every deployment after the last change. Each node is asked for some of the files,
 * and for the live site. What is wrong with a file is recorded as a visit.
 */
export async function readEverything(
  clients: Clients,
  nodes: readonly Target[],
  sites: readonly string[],
): Promise<readonly FoundSite[]> {
  const found: FoundSite[] = [];
  for (const site of sites) {
    await Promise.all(nodes.map((node) => clients.visit(node, site, "/")));
    const numbers = [...(await clients.list(nodes[0] as Target, site))];
    const deployments = new Map<number, string>();
    const read = async (): Promise<void> => {
      for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
        const node = nodes[number % nodes.length] as Target;
        deployments.set(number, await markOf(clients, node, `${number}--${site}`, site));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, read));
    found.push({ site, deployments });
  }
  return found;
}

// --- internal ---

/** Returns the mark that all pages of a deployment show, or several. */
async function markOf(clients: Clients, node: Target, host: string, site: string): Promise<string> {
  const marks = new Set<string>();
  for (const path of PATHS) {
    const saw = await clients.inspect(node, host, path, site);
    if (saw.kind === "page") marks.add(saw.mark);
    else if (saw.kind !== "shared") marks.add(saw.kind);
  }
  return [...marks].join(" and ");
}
