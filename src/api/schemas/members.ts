import { Type as t } from "@sinclair/typebox";
import type { ListedMember } from "../../domain/access/members.ts";
import { MEMBER_ROLES } from "../../domain/model/role.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { Moment, namedSchema, oneOf, orNull } from "./values.ts";

export const MemberRequest = namedSchema("MemberRequest", { role: oneOf(MEMBER_ROLES) }, { role: "deployer" });

export const MemberResponse = namedSchema(
  "MemberResponse",
  {
    login: t.String({ description: "The login of a person, or a group of the OIDC provider after `@`" }),
    role: oneOf(["owner", ...MEMBER_ROLES]),
    added_at: Moment,
    added_by: orNull(t.String(), { description: "A login; null for the owner, and if that account was removed" }),
  },
  { login: "grace", role: "deployer", added_at: "2026-11-20T16:05:12.418Z", added_by: "ada" },
);

export function memberResponse({ login, role, addedAt, addedBy }: ListedMember): typeof MemberResponse.static {
  return { login, role, added_at: timestamp(addedAt), added_by: addedBy };
}
