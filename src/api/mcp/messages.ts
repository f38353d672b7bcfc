import { isJsonObject, type JsonObject, parseJson } from "../../domain/json.ts";
import type { Caller } from "../../domain/model/caller.ts";
import { mayActivate } from "../../domain/model/permission.ts";
import { scopeOf } from "../../domain/model/scope.ts";
import type { NeededScope } from "./tool.ts";
import { toolNamed } from "./tools.ts";

/** A call of a tool in the body of a request, as far as it can be told before the protocol is checked. */
interface SentCall {
  readonly name: unknown;
  readonly arguments: JsonObject;
}

/** Returns the calls of tools in a body, of which a batch has several. Not JSON is no call: the protocol refuses it. */
export function callsIn(body: string): readonly SentCall[] {
  const value = parseJson(body);
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  return messages.flatMap((message) => {
    if (!isJsonObject(message) || message.method !== "tools/call") return [];
    const params = isJsonObject(message.params) ? message.params : {};
    return [{ name: params.name, arguments: isJsonObject(params.arguments) ? params.arguments : {} }];
  });
}

/** Returns the scope that would allow all calls; null if the caller's is enough. */
export function missingScope(caller: Caller, calls: readonly SentCall[]): string | null {
  const needed = calls.map((call) => toolNamed(call.name)?.needs(call.arguments) ?? null);
  const lacking = needed.filter((scope) => scope !== null && !has(caller, scope));
  if (lacking.length === 0) return null;
  const limit = caller.kind === "limited_session" ? caller.limit : { permission: "preview" as const, sites: [] };
  const permission = lacking.includes("publish") ? "publish" : limit.permission;
  return scopeOf({ ...limit, permission, newSites: limit.newSites === true || lacking.includes("new-sites") });
}

// --- internal ---

function has(caller: Caller, scope: NeededScope): boolean {
  if (scope === "publish") return mayActivate(caller);
  return caller.kind === "session" || (caller.kind === "limited_session" && caller.limit.newSites === true);
}
