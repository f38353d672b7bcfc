import type { Database } from "bun:sqlite";
import type { AcmeStore } from "../../domain/ports/store/acme.ts";
import type { FileStore } from "../../domain/ports/store/files.ts";
import { challengeReader } from "./challenges.ts";
import { fileStore } from "./files.ts";
import { type RouteReader, routeReader } from "./routes.ts";

/** What visits read: from the embedded database, or from a node's replica of PostgreSQL. */
export interface Visits extends RouteReader {
  readonly acme: Pick<AcmeStore, "challengeValues">;
  readonly files: FileStore;
}

export function openVisits(raw: Database): Visits {
  return { ...routeReader(raw), acme: { challengeValues: challengeReader(raw) }, files: fileStore(raw) };
}

/** Adds what visits read to the stores of the nouns. */
export function withVisits<Nouns extends Record<Exclude<keyof Visits, "files">, object>>(nouns: Nouns, visits: Visits) {
  return {
    ...nouns,
    sites: { ...nouns.sites, ...visits.sites } as Nouns["sites"] & Visits["sites"],
    claims: { ...nouns.claims, ...visits.claims } as Nouns["claims"] & Visits["claims"],
    previews: { ...nouns.previews, ...visits.previews } as Nouns["previews"] & Visits["previews"],
    acme: { ...nouns.acme, ...visits.acme } as Nouns["acme"] & Visits["acme"],
    files: visits.files,
  };
}
