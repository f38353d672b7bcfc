import { roleUsed } from "../domain/access/members.ts";
import { formatSubject } from "../domain/audit/audit.ts";
import { REMOVED_EXPIRED } from "../domain/claims/remove-expired-site.ts";
import type { Caller } from "../domain/model/caller.ts";
import { scopeOf } from "../domain/model/scope.ts";
import type { Site } from "../domain/model/site.ts";
import type { User } from "../domain/model/user.ts";
import type { AuditEntry } from "../domain/ports/store/audit.ts";
import { connectionOf } from "./connection.ts";
import type { RoutePorts } from "./ports.ts";
import type { AuditSubject, Call, ReplyOptions, Route } from "./route.ts";

/** A path parameter that is a secret. */
const SECRET = "code";

/**
 * Adds the audit record of a change that a route made. A request without an actor has changed nothing. A failure is
 * reported and not thrown, because the change has been made.
 */
export async function recordChange(
  ports: Pick<RoutePorts, "store" | "clock" | "report">,
  route: Route,
  call: Call,
  options: ReplyOptions,
): Promise<void> {
  const { caller } = call;
  const maker = options.madeBy ? sessionActor(options.madeBy) : caller && actorOf(caller);
  const actor: Actor | null = maker && route.auth === "operator" ? { ...maker, kind: "operator" } : maker;
  if (route.audit === null || route.recordsItself || actor === null) return;
  await appendRecord(ports, actor, route, call, options).catch(ports.report);
}

/** Returns a function that describes audit records. An action without a route, such as an operator's command, stays as it is. */
export function makeSummaryOf(routes: readonly Route[]): RoutePorts["summaryOf"] {
  const summaries = new Map(routes.map((route) => [actionOf(route), route.audit]));
  return ({ action, subject }) => {
    // The operator's reason is free text and must not be parsed.
    if (action === "freeze") return subject === "" ? "Froze the site" : `Froze the site: ${subject}`;
    if (action === "unfreeze") return "Unfroze the site";
    if (action === REMOVED_EXPIRED) return "Deleted the site, which had expired";
    const summary = summaries.get(action);
    if (summary === undefined || summary === null) return `${action} ${subject}`.trim();
    const about = parseSubject(subject);
    const told = typeof summary === "string" ? summary : summary(about);
    return told + roleNamed(about) + scopeNamed(about) + clientNamed(about);
  };
}

type Actor = Pick<AuditEntry, "kind" | "actor" | "userId">;

export function actorOf(caller: Caller): Actor {
  if (caller.kind !== "deployment_token") return sessionActor(caller.user);
  return { kind: "deployment_token", actor: caller.tokenName, userId: null };
}

/** Names the scope of the limited session that made a change. */
export function scopeUsed(caller: Caller | null): AuditSubject {
  return caller?.kind === "limited_session" ? { scope: scopeOf(caller.limit) } : {};
}

// --- internal ---

async function appendRecord(
  ports: Pick<RoutePorts, "store" | "clock">,
  actor: Actor,
  route: Route,
  { caller, params, request }: Call,
  { audit = {} }: ReplyOptions,
): Promise<void> {
  const changed = await changedSite(ports, route, params);
  const by = { ...scopeUsed(caller), ...(caller && changed && (await roleOfActor(ports, caller, changed))) };
  // The subject of the handler comes first, and overrides the parameters of the path, which may have a former name.
  const about: AuditSubject = {
    ...audit,
    ...(params as AuditSubject),
    ...(changed && { name: changed.name }),
    ...audit,
    ...by,
  };
  const { name: site = null, [SECRET]: _, ...subject } = about;
  const at = ports.clock.now();
  const { address } = connectionOf(request);
  const record = { at, ...actor, address, action: actionOf(route), site, subject: formatSubject(subject) };
  await ports.store.audit.append(record);
}

/** Returns the site that a route has changed; null for a route of no site, and for a site that was deleted. */
async function changedSite(
  { store }: Pick<RoutePorts, "store">,
  { operation }: Route,
  params: unknown,
): Promise<Site | null> {
  const { name } = params as AuditSubject;
  return operation === null || name === undefined ? null : store.sites.find(name);
}

/** Names the role of a member who changed a site that they do not own. */
async function roleOfActor({ store }: Pick<RoutePorts, "store">, caller: Caller, site: Site): Promise<AuditSubject> {
  const role = await roleUsed(store, caller, site);
  return role === null ? {} : { role };
}

function roleNamed({ role }: AuditSubject): string {
  return role === undefined ? "" : `, as ${role}`;
}

/**
 * Mentions that a change was made with a limited session. An approval, which has a verdict, names its scope itself.
 */
function scopeNamed({ scope, verdict }: AuditSubject): string {
  return scope === undefined || verdict !== undefined ? "" : `, with the scope ${scope}`;
}

/** Names the program that made a change over MCP. */
function clientNamed({ client, verdict }: AuditSubject): string {
  return client === undefined || verdict !== undefined ? "" : `, by the agent ${client}`;
}

function sessionActor({ login, id }: User): Actor {
  return { kind: "session", actor: login, userId: id };
}

function actionOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** Parses the output of `formatSubject`. */
function parseSubject(subject: string): AuditSubject {
  return Object.fromEntries(new URLSearchParams(subject.replaceAll(" ", "&")));
}
