import type { Clock } from "../domain/ports/clock.ts";
import type { AuditEntry } from "../domain/ports/store/audit.ts";
import type { Store } from "../domain/ports/store.ts";
import type { User } from "../domain/sign-in/user.ts";
import { knownCallerOf } from "./authenticate.ts";
import { connectionOf } from "./connection.ts";
import { isSafe } from "./same-origin.ts";
import { formatSubject } from "./schemas/audit-summary.ts";

interface AuditPorts {
  readonly store: Pick<Store, "audit">;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

/** What of a request's address stands for the named parts of its route, decoded. */
type Parts = Readonly<Record<string, string | undefined>>;

const answering = new WeakMap<Request, { readonly route: string; readonly parts: Parts }>();
const makers = new WeakMap<Request, User>();
const concerned = new WeakMap<Request, Parts>();

/** Says which route answers a request. */
export function answeredBy(request: Request, route: string, parts: Parts = {}): void {
  answering.set(request, { route, parts });
}

/** Says who changed something on a page of ours: such a request shows no credential of the API, and may be a GET. */
export function changedBy(request: Request, user: User): void {
  makers.set(request, user);
}

/** Says what a request is about where its address does not: `name` is the site, and the rest is what was made. */
export function concerns(request: Request, parts: Parts): void {
  concerned.set(request, parts);
}

/** Everybody may start these as often as they like, and they change nothing. */
const PASSED_OVER = new Set(["/auth/device", "/auth/device/token"]);

/** A part of a path that is a secret itself. */
const SECRET = "code";

/** Whether a request may have changed something: it is not safe or says so, and was answered without an error. */
export function isChange(request: Request, response: Response): boolean {
  return response.status < 400 && (!isSafe(request.method) || makers.has(request));
}

/** Notes a change that was made; a request that nobody in particular made has changed nothing. */
export async function recordChange(ports: AuditPorts, request: Request): Promise<void> {
  try {
    const actor = await actorOf(request);
    const { route = "", parts = {} } = answering.get(request) ?? {};
    if (actor === null || PASSED_OVER.has(route)) return;
    const { name: site = null, [SECRET]: _, ...subject } = { ...concerned.get(request), ...parts };
    await ports.store.audit.append({
      at: ports.clock.now(),
      ...actor,
      address: connectionOf(request).address,
      action: `${request.method} ${route}`,
      site,
      subject: formatSubject(subject),
    });
  } catch (error) {
    // The change has been made and answered for: a log that cannot be written is the operator's to hear of.
    ports.report(error);
  }
}

// --- internal ---

async function actorOf(request: Request): Promise<Pick<AuditEntry, "kind" | "actor" | "userId"> | null> {
  const user = makers.get(request);
  if (user) return { kind: "session", actor: user.login, userId: user.id };
  const caller = await knownCallerOf(request);
  if (caller?.kind === "session") return { kind: "session", actor: caller.user.login, userId: caller.user.id };
  return caller && { kind: "deployment_token", actor: caller.tokenName, userId: null };
}
