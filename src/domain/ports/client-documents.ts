import type { AgentClient } from "../model/agent.ts";

/** The documents in which clients describe themselves, each at the URL that is its client's id. */
export interface ClientDocuments {
  /** Returns the client of a document that was read a short time ago; null if it has to be fetched. */
  recent(url: string): AgentClient | null;
  /** Fetches and checks a document. Returns a client, or why there is none, as the end of a sentence about the document. */
  fetch(url: string): Promise<AgentClient | { readonly problem: string }>;
}
