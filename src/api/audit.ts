import type { Caller } from "../domain/accounts/caller.ts";
import type { User } from "../domain/accounts/user.ts";
import { formatSubject } from "../domain/audit/audit.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { AuditEntry } from "../domain/ports/store/audit.ts";
import type { Store } from "../domain/ports/store.ts";
import { knownCallerOf } from "./authenticate.ts";
import { notesOf } from "./change-notes.ts";
import { connectionOf } from "./connection.ts";
import type { AuditSubject, Call, ReplyOptions, Route } from "./route.ts";
import { routes } from "./routes.ts";
import { isSafe } from "./same-origin.ts";

interface AuditPorts {
  readonly store: Pick<Store, "audit">;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

/** A deployment has its record from the transaction that publishes it; the others change nothing. */
const PASSED_OVER = new Set(["/deploy", "/auth/device", "/auth/device/token"]);

/** A part of a path that is a secret itself. */
const SECRET = "code";

/** Whether a request may have changed something: it is not safe or says so, and was answered without an error. */
export function isChange(request: Request, response: Response): boolean {
  return response.status < 400 && (!isSafe(request.method) || notesOf(request).maker !== undefined);
}

/** Notes a change that was made; a request that nobody in particular made has changed nothing. */
export async function recordNotedChange(ports: AuditPorts, request: Request): Promise<void> {
  try {
    const actor = await notedActorOf(request);
    const { answering: { route, parts } = { route: "", parts: {} }, concerned } = notesOf(request);
    if (actor === null || PASSED_OVER.has(route) || routes.some(({ path }) => path === route)) return;
    const { name: site = null, [SECRET]: _, ...subject } = { ...concerned, ...parts };
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

/** Adds the audit record of a change that a route made. A failure is reported: the change itself has been made. */
export async function recordChange(
  ports: AuditPorts,
  { method, path, audit: summary }: Route,
  { caller, params, request }: Call,
  { audit = {}, madeBy }: ReplyOptions,
): Promise<void> {
  const actor = madeBy ? sessionActor(madeBy) : actorOf(caller);
  if (summary === null || actor === null) return;
  const { name: site = null, [SECRET]: _, ...subject } = { ...audit, ...(params as AuditSubject) };
  const at = ports.clock.now();
  const { address } = connectionOf(request);
  const action = `${method} ${path}`;
  await ports.store.audit
    .append({ at, ...actor, address, action, site, subject: formatSubject(subject) })
    .catch(ports.report);
}

// --- internal ---

type Actor = Pick<AuditEntry, "kind" | "actor" | "userId">;

function actorOf(caller: Caller | null): Actor | null {
  if (caller?.kind === "session") return sessionActor(caller.user);
  return caller && { kind: "deployment_token", actor: caller.tokenName, userId: null };
}

function sessionActor({ login, id }: User): Actor {
  return { kind: "session", actor: login, userId: id };
}

async function notedActorOf(request: Request): Promise<Pick<AuditEntry, "kind" | "actor" | "userId"> | null> {
  const { maker } = notesOf(request);
  if (maker) return { kind: "session", actor: maker.login, userId: maker.id };
  const caller = await knownCallerOf(request);
  if (caller?.kind === "session") return { kind: "session", actor: caller.user.login, userId: caller.user.id };
  return caller && { kind: "deployment_token", actor: caller.tokenName, userId: null };
}
