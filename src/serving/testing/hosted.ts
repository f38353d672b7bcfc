import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExplainVisit } from "../../domain/deployments/visit-explanation.ts";
import type { Visitor } from "../../domain/ports/connection.ts";
import type { ContentStore } from "../../domain/ports/content.ts";
import type { ContentCoding, EncodedContent } from "../../domain/ports/store/encodings.ts";
import type { Store } from "../../domain/ports/store.ts";
import { parseHeaders } from "../../domain/rules/headers-file.ts";
import { parseRedirects } from "../../domain/rules/redirects-file.ts";
import { DAY } from "../../domain/timestamp.ts";
import { openFilesystemContent } from "../../storage/content/filesystem/filesystem.ts";
import { type Places, placesIn } from "../../storage/content/filesystem/places.ts";
import { addPerson, addSession } from "../../storage/contract/people.ts";
import { publishDeployment } from "../../storage/contract/publication.ts";
import { recordEncodings } from "../../storage/contract/record-encodings.ts";
import { migrate } from "../../storage/sqlite/migrate.ts";
import { openSqliteStore } from "../../storage/sqlite/store.ts";
import { dispatch } from "../dispatch.ts";
import { makeHosting } from "../hosting.ts";
import type { Serve } from "../pipeline.ts";
import type { HostingPorts, Route } from "../ports.ts";

/** The files of a deployment by path. */
type Files = Readonly<Record<string, string | Uint8Array>>;

/** Hosting on a real listener, over a real store and real content in a folder of its own. */
export interface Hosted {
  readonly store: Store;
  readonly content: ContentStore;
  /** Where the content of a digest is. */
  readonly contentPath: Places["path"];
  /** The time, set by tests. */
  now: number;
  /** The counted views, in order. */
  readonly counted: { site: string; seen: string; path: string; bytes: number }[];
  /** True if the last response had to wait for anything. */
  waited: boolean;
  /** The reported errors, in order. */
  readonly reported: unknown[];
  /** The visitor of requests to the listener. */
  visitor: Visitor;
  /** The gate of private sites; null lets everybody in. */
  gate: (request: Request, route: Route) => Response | null;
  publish(siteName: string, files: Files, options?: { makePrivate?: boolean }): Promise<{ number: number }>;
  /** Stores encodings of a text that is published, and of nothing else. */
  encode(text: string | Uint8Array, encodings: Readonly<Partial<Record<ContentCoding, Uint8Array>>>): Promise<void>;
  /** Returns the response as it was sent, redirects not followed and content not decompressed. */
  get(host: string, target?: string, headers?: Record<string, string>, method?: string): Promise<Response>;
  readonly serve: Serve;
  readonly explain: ExplainVisit;
  [Symbol.dispose](): void;
}

export const digestOf = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A visitor over HTTP/1.1. */
export const VISITOR: Visitor = {
  address: "192.0.2.1",
  country: null,
  secure: false,
  isMultiplexed: false,
  holdMemory: () => true,
};

/** Starts hosting for the sites domain `sites.test`. Content may be elsewhere than on this machine. */
export async function startHosted({ cacheBytes = 8 * 1024 * 1024, isElsewhere = false } = {}): Promise<Hosted> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-hosted-"));
  const database = join(folder, "vitrine.db");
  await migrate(database);
  const store = openSqliteStore(database);
  const content = openFilesystemContent(join(folder, "content"));
  const owner = await addPerson(store, "ada");
  const sessionId = await addSession(store, owner.id);
  const ports: HostingPorts = {
    countHit: () => {},
    store,
    content: isElsewhere ? { ...content, open: async () => null } : content,
    clock: { now: () => hosted.now },
    gate: { check: async (request, route) => hosted.gate(request, route) },
    throttle: null,
    permit: null,
    report: (error) => hosted.reported.push(error),
    views: {
      count({ route, path }, seen, bytes) {
        const isPage = typeof seen === "object";
        hosted.counted.push({
          site: route.siteName,
          seen: isPage ? "page" : seen,
          path: isPage ? seen.path : path,
          bytes,
        });
      },
    },
  };
  const { serve, respondToOwn, explain } = makeHosting(ports, {
    graceMs: 7 * DAY,
    sitesDomain: "sites.test",
    scheme: "https",
    cacheBytes,
  });
  const server = Bun.serve({
    port: 0,
    development: false,
    fetch: (request) => {
      const target = dispatch(request, { baseHosts: new Set(), maxUrlLength: 16_000 });
      if (target.kind === "own") return respondToOwn(target.path);
      if (target.kind !== "site") return new Response(null, { status: 400 });
      const response = serve(request, target.host, hosted.visitor);
      hosted.waited = response instanceof Promise;
      return response;
    },
  });

  const hosted: Hosted = {
    store,
    content,
    contentPath: placesIn(join(folder, "content")).path,
    now: Date.UTC(2026, 10, 20, 12),
    counted: [],
    waited: false,
    visitor: VISITOR,
    reported: [],
    serve,
    explain,
    gate: () => new Response("kept out", { status: 404 }),

    async publish(siteName, files, { makePrivate = false } = {}) {
      const stored = Object.entries(files).map(async ([path, text]) => {
        const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
        const digest = digestOf(bytes);
        await content.put(digest, bytes);
        return { path, digest, size: bytes.length };
      });
      const entries = await Promise.all(stored);
      await content.sync();
      const redirects = parseRedirects(`${files._redirects ?? ""}`).rules;
      const headers = parseHeaders(`${files._headers ?? ""}`).rules;
      const manifest = { files: entries, redirects, headers };
      const facts = { siteName, ownerId: owner.id, sessionId, makePrivate, manifest, createdAt: hosted.now };
      return { number: (await publishDeployment(store, facts)).deployment.number };
    },

    async encode(text, encodings) {
      const stored: Partial<Record<ContentCoding, EncodedContent>> = {};
      for (const [coding, bytes] of Object.entries(encodings)) {
        stored[coding as ContentCoding] = { digest: digestOf(bytes), size: bytes.length };
        await content.put(digestOf(bytes), bytes);
      }
      await recordEncodings(store, { [digestOf(text)]: stored });
    },

    get: (host, target = "/", headers = {}, method = "GET") =>
      fetch(`http://127.0.0.1:${server.port}${target}`, {
        method,
        redirect: "manual",
        decompress: false,
        headers: { "accept-encoding": "identity", ...headers, host },
      }),

    [Symbol.dispose]() {
      server.stop(true);
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return hosted;
}
