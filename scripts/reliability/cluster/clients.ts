import { archiveOf, PATHS, sightOf } from "./archives.ts";
import { answeringNode } from "./balancer.ts";
import { BALANCER } from "./failures.ts";
import type { Change, Fault, Outcome, Sight, Visit } from "./history.ts";
import { HUB } from "./network.ts";
import { BASE, type ClusterNode, NODE_PORT } from "./node.ts";

/** What clients did and saw, in the order of the ends. */
export interface Recording {
  readonly changes: Change[];
  readonly visits: Visit[];
  readonly faults: Fault[];
}

/** Where requests go: a node, or the balancer. */
export interface Target {
  readonly name: string;
  readonly origin: string;
}

export const BALANCED: Target = { name: BALANCER, origin: `http://${HUB}` };

/** A site that never changes, and that every node has served before the first fault. */
export const CACHED_SITE = "unchanged";

/** Longer than everything that a node waits for. */
const PATIENCE_MS = 30_000;

export function targetOf({ name, network }: ClusterNode): Target {
  return { name, origin: `http://${network.address}:${NODE_PORT}` };
}

type Request = (origin: string) => Promise<Response>;

/** Clients that record each request with its times and what was answered. */
export class Clients {
  readonly #recording: Recording;
  readonly #token: string;
  #deployments = 0;

  constructor(recording: Recording, token: string) {
    this.#recording = recording;
    this.#token = token;
  }

  async deploy(to: Target, site: string): Promise<Change> {
    const mark = `${site}-${++this.#deployments}`;
    const body = new FormData();
    body.set("file", new Blob([(await archiveOf(mark)) as Uint8Array<ArrayBuffer>]), "site.zip");
    const headers = { ...headersOf(BASE, this.#token), "X-Service-Site": site };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return this.#change({ kind: "deploy", site, mark }, to, (origin) =>
      fetch(`${origin}/deploy`, { method: "POST", body, headers, signal }),
    );
  }

  activate(to: Target, { site, mark, number }: Change): Promise<Change> {
    const path = `/sites/${site}/deployments/${number}/activate`;
    return this.#change({ kind: "activate", site, ...(mark === undefined ? {} : { mark }) }, to, (origin) =>
      this.#call(origin, "POST", path),
    );
  }

  delete(to: Target, site: string): Promise<Change> {
    return this.#change({ kind: "delete", site }, to, (origin) => this.#call(origin, "DELETE", `/sites/${site}`));
  }

  freeze(to: Target, site: string): Promise<Change> {
    return this.#setFrozen(to, "freeze", site);
  }

  unfreeze(to: Target, site: string): Promise<Change> {
    return this.#setFrozen(to, "unfreeze", site);
  }

  /** Visits a path, by default a random one, over a connection of its own and without a second attempt. */
  async visit(
    to: Target,
    site: string,
    path = PATHS[Math.floor(Math.random() * PATHS.length)] as string,
  ): Promise<Visit> {
    const begin = performance.now();
    const looked = await look(to, site, path);
    const visit: Visit = { site, via: to.name, path, begin, end: performance.now(), ...looked };
    this.#recording.visits.push(visit);
    return visit;
  }

  /** Deploys the site that never changes, and visits each of its files at each node. */
  async fillCaches(nodes: readonly Target[]): Promise<void> {
    await this.deploy(nodes[0] as Target, CACHED_SITE);
    for (const node of nodes) for (const path of PATHS) await this.visit(node, CACHED_SITE, path);
  }

  /** Visits any host. Only content that is wrong or missing is recorded, as a visit of the site. */
  async inspect(to: Target, host: string, path: string, site: string): Promise<Sight> {
    const begin = performance.now();
    const { saw } = await look(to, host, path);
    if (saw.kind === "damaged" || saw.kind === "failed") {
      this.#recording.visits.push({ site, via: to.name, path, begin, end: performance.now(), saw });
    }
    return saw;
  }

  /** Returns the site's deployments, newest first. */
  async list({ origin }: Target, site: string): Promise<readonly number[]> {
    const numbers: number[] = [];
    for (let before = ""; ; before = `&before=${numbers.at(-1)}`) {
      const response = await this.#call(origin, "GET", `/sites/${site}/deployments?limit=100${before}`);
      if (response.status === 404) return numbers;
      if (!response.ok) throw new Error(`the list of ${site} was answered ${response.status}`);
      const page = (await response.json()) as { deployment_number: number }[];
      numbers.push(...page.map(({ deployment_number }) => deployment_number));
      if (page.length < 100) return numbers;
    }
  }

  #setFrozen(to: Target, kind: "freeze" | "unfreeze", site: string): Promise<Change> {
    const change = { frozen: kind === "freeze" ? {} : null };
    return this.#change({ kind, site }, to, (origin) => this.#call(origin, "PATCH", `/admin/sites/${site}`, change));
  }

  async #change(wanted: Pick<Change, "kind" | "site" | "mark">, to: Target, request: Request): Promise<Change> {
    const begin = performance.now();
    const { status, text } = await responseOf(request(to.origin));
    const outcome = outcomeOf(status, text);
    const number = wanted.kind === "deploy" && outcome === "done" ? numberIn(text) : undefined;
    const made: Change = {
      ...wanted,
      via: to.name,
      begin,
      end: performance.now(),
      outcome,
      status,
      ...(number === undefined ? {} : { number }),
      ...(outcome === "done" ? {} : { response: text.slice(0, 200) }),
    };
    this.#recording.changes.push(made);
    return made;
  }

  #call(origin: string, method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${origin}${path}`, {
      method,
      headers: { ...headersOf(BASE, this.#token), "Content-Type": "application/json" },
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}

// --- internal ---

function headersOf(host: string, token?: string): Record<string, string> {
  return { Host: host, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) };
}

async function look({ origin }: Target, site: string, path: string): Promise<Pick<Visit, "saw" | "by">> {
  try {
    const response = await fetch(`${origin}${path}`, {
      headers: headersOf(`${site}.${BASE}`),
      redirect: "manual",
      keepalive: false,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const by = answeringNode(response.headers);
    return { saw: sightOf(path, response.status, await response.text()), ...(by && { by }) };
  } catch (error) {
    return { saw: { kind: "failed", detail: `${path}: ${(error as Error).message}` } };
  }
}

async function responseOf(
  response: Promise<Response>,
): Promise<{ readonly status: number | null; readonly text: string }> {
  try {
    const { status } = await response;
    return { status, text: await (await response).text() };
  } catch (error) {
    return { status: null, text: (error as Error).message };
  }
}

function outcomeOf(status: number | null, text: string): Outcome {
  if (status === null) return "unknown";
  if (status < 300) return "done";
  if (text.includes("the change was made")) return "late";
  // An answer of the balancer, or one after a failure, leaves open what happened.
  const isOpen = text.includes("check whether it") || [500, 502, 504].includes(status) || text.startsWith("<");
  return isOpen ? "unknown" : "refused";
}

function numberIn(text: string): number {
  return (JSON.parse(text) as { deployment_number: number }).deployment_number;
}
