import { firstCharacters } from "../characters.ts";
import { parseJsonObject } from "../json.ts";
import type { AgentClient } from "../model/agent.ts";
import { printable } from "../printable.ts";
import { isSafeRedirect } from "./redirects.ts";

export const MAX_DOCUMENT_BYTES = 5 * 1024;
export const MAX_REDIRECTS = 20;
const MAX_AGENT_NAME_LENGTH = 100;
const NAMELESS = "an unnamed program";

/** Returns whether a client's id is the URL of a metadata document, in its canonical form. */
export function isDocumentUrl(id: string): boolean {
  const url = id.startsWith("https://") ? URL.parse(id) : null;
  if (url === null || url.href !== id || id.length > 500) return false;
  return url.pathname !== "/" && url.hash === "" && url.username === "" && url.password === "";
}

/** Reads a client's metadata document. Returns why it is none, as the end of a sentence about it. */
export function readClientDocument(id: string, text: string): AgentClient | { readonly problem: string } {
  const document = parseJsonObject(text);
  if (document === null) return { problem: "is not a JSON object" };
  if (document.client_id !== id) return { problem: "is that of another client" };
  const method = document.token_endpoint_auth_method;
  if ("client_secret" in document || (typeof method === "string" && method.startsWith("client_secret"))) {
    return { problem: "is of a client with a secret, which a public document cannot keep" };
  }
  const uris = document.redirect_uris;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECTS) {
    return { problem: `names no redirect_uris, or more than ${MAX_REDIRECTS}` };
  }
  if (!uris.every((uri): uri is string => typeof uri === "string" && isSafeRedirect(uri))) {
    return { problem: "names a redirect URI that is neither HTTPS nor on the user's machine" };
  }
  return { id, name: agentName(document.client_name), redirectUris: uris };
}

/** Returns the name that people are shown. It is data of a stranger. */
export function agentName(given: unknown): string {
  const name = typeof given === "string" ? printable(given).trim() : "";
  return name === "" ? NAMELESS : firstCharacters(name, MAX_AGENT_NAME_LENGTH);
}
