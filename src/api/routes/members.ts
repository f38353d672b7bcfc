import { Type as t } from "@sinclair/typebox";
import { listMembers, removeMember, setMember } from "../../domain/access/members.ts";
import { reply, route } from "../route.ts";
import { MemberRequest, MemberResponse, memberResponse } from "../schemas/members.ts";

const common = { tag: "Members", auth: "site" } as const;

export const memberRoutes = [
  route({
    ...common,
    operation: "read_members",
    endpoint: "GET /sites/:name/members",
    summary: "List the people who work on a site",
    description: "The owner first, then people by login, and groups last.",
    response: { 200: t.Array(MemberResponse) },
    handler: async ({ caller, params, ports }) => (await listMembers(ports, caller, params.name)).map(memberResponse),
  }),

  route({
    ...common,
    operation: "manage_members",
    endpoint: "PUT /sites/:name/members/:login",
    summary: "Add a member, or change their role",
    description:
      "With OpenID Connect, somebody who has never signed in is invited: they become a member when they sign in with this login. `@group`, encoded as `%40group`, is everybody in a group of the provider.",
    body: MemberRequest,
    response: { 200: MemberResponse, 201: MemberResponse },
    errors: {
      400: "the provider username is invalid",
      404: "the site or the provider user does not exist",
      409: "brisk-otter-4821 has 50 members, the maximum: remove one first",
      429: "too many logins looked up: try again in a minute",
      502: "the provider lookup failed",
    },
    audit: ({ login, member_role }) => `Made ${login} a ${member_role}`,
    handler: async ({ caller, params: { name, login }, body: { role }, ports }) => {
      const { member, isNew } = await setMember(ports, caller, name, { login, role });
      return reply(memberResponse(member), {
        status: isNew ? 201 : 200,
        audit: { login: member.login, member_role: member.role },
      });
    },
  }),

  route({
    ...common,
    operation: "manage_members",
    endpoint: "DELETE /sites/:name/members/:login",
    summary: "Remove a member",
    description: "Their next request is refused. Members may also remove themselves.",
    errors: { 404: "the site has no such member", 409: "you own brisk-otter-4821" },
    audit: ({ login }) => `Removed the member ${login}`,
    handler: ({ caller, params: { name, login }, ports }) => removeMember(ports, caller, name, login),
  }),
];
