import { may } from "../../src/domain/model/role.ts";
import type { Access } from "../../src/domain/model/site-policy.ts";
import type { AccessPolicy } from "../parts/policy.ts";
import type { Target } from "./target.ts";

/** The choice between public and private that a deployment has. */
interface AccessChoice {
  /** The access without a choice. */
  readonly isPrivate: boolean;
  /** True if the server allows no other. */
  readonly isFixed: boolean;
}

/**
 * Returns the choice; null if there is none, because the site is private already or the user may not change its access.
 * `policy` is undefined until it is loaded.
 */
export function accessChoice(target: Target, policy: AccessPolicy | undefined): AccessChoice | null {
  if (target.kind === "update") {
    const { site } = target;
    return site.private || !may(site.role, "change_access") ? null : { isPrivate: false, isFixed: false };
  }
  if (target.kind !== "create" || policy === undefined) return { isPrivate: false, isFixed: false };
  const isFixed = !policy.mayMakePublic;
  return { isPrivate: isFixed || policy.defaultAccess === "private", isFixed };
}

/** Returns the access that a deployment asks for; null to leave it to the server. `chosen` is null without a choice. */
export function accessOf(target: Target, policy: AccessPolicy | undefined, chosen: boolean | null): Access | null {
  const choice = accessChoice(target, policy);
  if (choice === null) return null;
  const isPrivate = choice.isFixed ? choice.isPrivate : (chosen ?? choice.isPrivate);
  if (isPrivate) return "private";
  return target.kind === "create" && chosen !== null ? "public" : null;
}
