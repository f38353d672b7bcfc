import { ENCODED } from "../domain/ports/store/routing.ts";
import type { HostingPorts, Route } from "./ports.ts";

/** Hosts with a site, and as many without one: a flood of invented hosts neither fills the memory nor empties the cache. */
const MAX_CACHED_HOSTS = 20_000;

/**
 * The routes that one thread has cached. It follows the store's routing log: a change drops the routes of the affected
 * sites, and a thread that is too far behind drops all.
 */
export class CachedRoutes {
  readonly #store: Pick<HostingPorts["store"], "generation" | "affectedSites">;
  readonly #routes = new Map<string, Route>();
  readonly #hostsOfSites = new Map<number, Set<string>>();
  /** Hosts that belong to no site: any change may give them one. */
  readonly #unknown = new Set<string>();
  #generation: number;
  #encodedAt: number;

  constructor(store: Pick<HostingPorts["store"], "generation" | "affectedSites">) {
    this.#store = store;
    this.#generation = store.generation();
    this.#encodedAt = this.#generation;
  }

  /** Applies all changes so far, and returns the generation of the last one. Call it first for each request. */
  catchUp(): number {
    const current = this.#store.generation();
    if (current !== this.#generation) this.#apply(current);
    return current;
  }

  /** The generation since which no encodings were recorded. */
  get encodedAt(): number {
    return this.#encodedAt;
  }

  /** Returns the route of a host, null if it belongs to no site, and undefined if it is not cached. */
  get(host: string): Route | null | undefined {
    return this.#routes.get(host) ?? (this.#unknown.has(host) ? null : undefined);
  }

  /** Caches a result for a host that was read at a generation, unless something has changed since then. */
  set(host: string, route: Route | null, generation: number): void {
    if (this.catchUp() !== generation) return;
    if (route === null) {
      if (this.#unknown.size >= MAX_CACHED_HOSTS) this.#unknown.clear();
      this.#unknown.add(host);
      return;
    }
    if (this.#routes.size >= MAX_CACHED_HOSTS) this.#clear();
    this.#addHost(route.siteId, host);
    this.#routes.set(host, route);
  }

  #apply(current: number): void {
    const affected = this.#store.affectedSites(this.#generation, current);
    if (affected === null) this.#clear();
    for (const site of affected ?? []) this.#drop(site);
    if (affected === null || affected.includes(ENCODED)) this.#encodedAt = current;
    this.#unknown.clear();
    this.#generation = current;
  }

  #addHost(siteId: number, host: string): void {
    const hosts = this.#hostsOfSites.get(siteId);
    if (hosts) hosts.add(host);
    else this.#hostsOfSites.set(siteId, new Set([host]));
  }

  #drop(siteId: number): void {
    for (const host of this.#hostsOfSites.get(siteId) ?? []) this.#routes.delete(host);
    this.#hostsOfSites.delete(siteId);
  }

  #clear(): void {
    this.#routes.clear();
    this.#hostsOfSites.clear();
    this.#unknown.clear();
  }
}
