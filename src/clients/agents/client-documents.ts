import { LRUCache } from "lru-cache";
import { MAX_DOCUMENT_BYTES, readClientDocument } from "../../domain/agents/client-document.ts";
import type { AgentClient } from "../../domain/model/agent.ts";
import type { ClientDocuments } from "../../domain/ports/client-documents.ts";
import type { Clock } from "../../domain/ports/system.ts";
import { MINUTE } from "../../domain/timestamp.ts";
import type { GuardedClient } from "../http/guarded.ts";

/** A consent takes a few minutes, in which the document is needed twice. */
const KEPT_MS = 10 * MINUTE;
const MAX_KEPT = 100;

const NEVER = new AbortController().signal;

/** Fetches documents through the guarded client, and keeps them for a short time. */
export function fetchedClientDocuments(client: GuardedClient, clock: Clock): ClientDocuments {
  const kept = new LRUCache<string, { readonly client: AgentClient; readonly until: number }>({ max: MAX_KEPT });
  return {
    recent(url) {
      const found = kept.get(url);
      return found && clock.now() < found.until ? found.client : null;
    },

    async fetch(url) {
      // One byte more shows that a document is too long.
      const request = {
        method: "GET",
        headers: { Accept: "application/json" },
        maxBytes: MAX_DOCUMENT_BYTES + 1,
      } as const;
      const response = await client.send(new URL(url), request, NEVER);
      if (response.statusCode === null) return { problem: `cannot be fetched: ${response.error}` };
      if (response.statusCode !== 200) return { problem: `is answered with the status ${response.statusCode}` };
      if (response.body.length > MAX_DOCUMENT_BYTES) return { problem: `is larger than ${MAX_DOCUMENT_BYTES} bytes` };
      const found = readClientDocument(url, response.body.toString("utf8"));
      if (!("problem" in found)) kept.set(url, { client: found, until: clock.now() + KEPT_MS });
      return found;
    },
  };
}
