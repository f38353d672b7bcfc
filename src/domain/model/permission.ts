import { DomainError } from "../errors.ts";
import type { Caller } from "./caller.ts";
import { scopeOf } from "./scope.ts";

/** `preview` can create previews and move aliases; only `publish` can also change the live deployment. */
export const TOKEN_PERMISSIONS = ["publish", "preview"] as const;

export type TokenPermission = (typeof TOKEN_PERMISSIONS)[number];

/** Returns whether a caller may change a site's live deployment and access. */
export function mayActivate(caller: Caller): boolean {
  return permissionOf(caller) === "publish";
}

/** Throws `forbidden` for a caller who may not change a site's live deployment or access. */
export function requireMayActivate(caller: Caller): void {
  if (mayActivate(caller)) return;
  const credential =
    caller.kind === "limited_session" ? `the scope "${scopeOf(caller.limit)}"` : "a token with the permission preview";
  throw new DomainError(
    "forbidden",
    `credential cannot deploy this site: ${credential} can neither activate a deployment nor change access; to make a preview, send X-Service-Activate: no or X-Service-Alias`,
  );
}

function permissionOf(caller: Caller): TokenPermission {
  if (caller.kind === "session") return "publish";
  return caller.kind === "limited_session" ? caller.limit.permission : caller.permission;
}
