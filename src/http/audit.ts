import type { Clock } from "../domain/ports/clock.ts";
import type { AuditEntry } from "../domain/ports/store/audit.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Caller } from "../domain/sign-in/caller.ts";
import { knownCallerOf } from "./authenticate.ts";
import { connectionOf } from "./connection.ts";
import { isSafe } from "./same-origin.ts";

interface AuditPorts {
  readonly store: Pick<Store, "audit">;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

const concerned = new WeakMap<Request, string>();

/** Says which site a request is about where its address does not. */
export function concernsSite(request: Request, name: string): void {
  concerned.set(request, name);
}

/** Everybody may start these as often as they like, and they change nothing. */
const PASSED_OVER = new Set(["/auth/device", "/auth/device/token"]);

/** A part of a path that is a secret itself. */
const SECRET = "code";

/** Whether a request may have changed something: it is not safe, and was answered without an error. */
export function isChange(request: Request, response: Response): boolean {
  return !isSafe(request.method) && response.status < 400;
}

/** Notes a change that was made. `pattern` is the route that answered; without one nothing did. */
export async function recordChange(
  ports: AuditPorts,
  request: Request,
  response: Response,
  pattern: string | null,
): Promise<void> {
  if (pattern === null || PASSED_OVER.has(pattern)) return;
  try {
    const caller = await knownCallerOf(request);
    const parts = namedParts(pattern, new URL(request.url).pathname);
    const site =
      parts.get("name") ?? parts.get("site_name") ?? concerned.get(request) ?? deployedSite(request, response);
    const subject = [...parts].filter(([name]) => !["name", "site_name", SECRET].includes(name));
    await ports.store.audit.append({
      at: ports.clock.now(),
      ...actorOf(caller),
      address: connectionOf(request).address,
      action: `${request.method} ${pattern}`,
      site: site ?? null,
      subject: subject.map(([name, value]) => `${name}=${value}`).join(" "),
    });
  } catch (error) {
    // The change has been made and answered for: a log that cannot be written is the operator's to hear of.
    ports.report(error);
  }
}

// --- internal ---

function actorOf(caller: Caller | null): Pick<AuditEntry, "kind" | "actor" | "userId"> {
  if (caller === null) return { kind: "visitor", actor: "", userId: null };
  if (caller.kind === "session") return { kind: "session", actor: caller.user.login, userId: caller.user.id };
  return { kind: "deployment_token", actor: caller.tokenName, userId: null };
}

function namedParts(pattern: string, path: string): Map<string, string> {
  const segments = path.split("/");
  const named = pattern.split("/").map((part, index) => [part, segments[index] ?? ""] as const);
  return new Map(named.filter(([part]) => part.startsWith(":")).map(([part, value]) => [part.slice(1), value]));
}

/** A deployment names its site in a header, and where it was generated, in the address of the answer. */
function deployedSite(request: Request, response: Response): string | null {
  const location = response.headers.get("location");
  if (!URL.canParse(location ?? "")) return null;
  return request.headers.get("x-service-site") ?? new URL(location as string).hostname.split(".")[0] ?? null;
}
