import { DomainError } from "../errors.ts";
import { addressSubject, type Rates, takeFromLimit } from "../limits/rate-limit.ts";
import type { AgentClient } from "../model/agent.ts";
import type { ClientDocuments } from "../ports/client-documents.ts";
import type { Store } from "../ports/store.ts";
import type { Clock, Secrets } from "../ports/system.ts";
import { agentName, isDocumentUrl, MAX_REDIRECTS } from "./client-document.ts";
import { isAllowedRedirect } from "./redirects.ts";

/** Registrations cost a row each, and anybody can send them. */
const MAX_UNUSED_CLIENTS = 1000;

interface ClientPorts {
  readonly store: Pick<Store, "agents" | "rateLimits">;
  readonly clientDocuments: ClientDocuments;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly rates: Pick<Rates, "registration">;
  readonly mcp: { readonly redirects: readonly string[] };
}

/**
 * Returns the client with an id: one that registered, or that of the document at the id. Throws `invalid` for an unknown
 * one, and `too_many_requests` if an IP address causes too many documents to be fetched.
 */
export async function findClient(ports: ClientPorts, id: string, address: string): Promise<AgentClient> {
  const client = isDocumentUrl(id)
    ? await clientOfDocument(ports, id, address)
    : await ports.store.agents.findClient(id);
  if (client) return client;
  throw new DomainError("invalid", "this program is unknown here, or was forgotten: let it connect again");
}

/** The refusal of a registration (RFC 7591 section 3.2.2). */
interface RegistrationRefusal {
  readonly error: "invalid_redirect_uri" | "invalid_client_metadata";
  readonly detail: string;
}

/**
 * Registers a client without a secret. Throws `too_many_requests` for too many from one IP address. Above
 * `MAX_UNUSED_CLIENTS`, the oldest that nobody has given access is forgotten.
 */
export async function registerClient(
  ports: ClientPorts,
  asked: { readonly name: unknown; readonly redirectUris: unknown },
  address: string,
): Promise<(AgentClient & { readonly createdAt: number }) | RegistrationRefusal> {
  const { store, secrets, clock, mcp } = ports;
  const now = clock.now();
  await takeFromLimit(ports, "registration", addressSubject(address), now);
  const { redirectUris: uris } = asked;
  if (!isListOfText(uris) || uris.length === 0 || uris.length > MAX_REDIRECTS) {
    return refusal("invalid_client_metadata", `send redirect_uris, a list of 1 to ${MAX_REDIRECTS} redirect URIs`);
  }
  const other = uris.find((uri) => !isAllowedRedirect(mcp.redirects, uri));
  if (other !== undefined) {
    const named = JSON.stringify(other.slice(0, 200));
    return refusal(
      "invalid_redirect_uri",
      `${named} is not on the list of the operator of this server (--mcp-redirects)`,
    );
  }
  const client = { id: secrets.random(16).toHex(), name: agentName(asked.name), redirectUris: uris, createdAt: now };
  await store.agents.addClient(client, MAX_UNUSED_CLIENTS);
  return client;
}

// --- internal ---

async function clientOfDocument(ports: ClientPorts, id: string, address: string): Promise<AgentClient> {
  const recent = ports.clientDocuments.recent(id);
  if (recent) return recent;
  await takeFromLimit(ports, "registration", addressSubject(address), ports.clock.now());
  const found = await ports.clientDocuments.fetch(id);
  if ("problem" in found) throw new DomainError("invalid", `the document of this program ${found.problem}`);
  return found;
}

function isListOfText(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function refusal(error: RegistrationRefusal["error"], detail: string): RegistrationRefusal {
  return { error, detail };
}
