import { DAY, HOUR } from "../timestamp.ts";
import type { SessionLimit } from "./scope.ts";

/** The session of an agent ends this long after consent. */
export const AGENT_SESSION_LIFETIME = 90 * DAY;
/** A client is forgotten when every session that it ever had has ended. */
export const UNUSED_CLIENT_KEPT = AGENT_SESSION_LIFETIME + HOUR;

/** A program that asks for access over MCP: a client in OAuth's words. It keeps no secret. */
export interface AgentClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** The access that a person's consent grants to an agent. */
export interface AgentGrant {
  readonly limit: SessionLimit;
  /** Milliseconds until it ends; null for the longest. */
  readonly lifetime: number | null;
}

/** The program behind a change that was made over MCP. All sessions of a person's client have the same id. */
export interface Agent {
  readonly id: string;
  readonly name: string;
}

/** A consent that waits for its client to redeem the code. */
export interface PendingCode {
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  /** BASE64URL(SHA256(code_verifier)), RFC 7636 section 4.2. */
  readonly challenge: string;
  readonly resource: string;
  readonly userId: number;
  readonly granted: AgentGrant;
  readonly expiresAt: number;
}

/** What a client sends with a code; `challenge` is computed from its `code_verifier`. */
export interface Attempt extends Pick<PendingCode, "clientId" | "redirectUri" | "challenge"> {
  /** Null where it leaves that to the code. */
  readonly resource: string | null;
  readonly now: number;
}

export type RedeemRefusal = "unknown" | "replayed" | "mismatch" | "wrong_resource";
export type RefreshRefusal = "unknown" | "replayed";
