import type { MemberRole } from "../../../../src/domain/model/role.ts";
import { call } from "../../../api/client.ts";
import type { Resource } from "../../../api/resource.ts";
import type { Member } from "../../../api/types.ts";

export type Members = Resource<Member[]>;

export function membersPath(site: string): string {
  return `/sites/${site}/members`;
}

/** Gives somebody a role, in the list as well. */
export async function setMember(site: string, login: string, role: MemberRole, members: Members): Promise<Member> {
  const member = await call<Member>("PUT", `${membersPath(site)}/${encodeURIComponent(login)}`, { role });
  members.set((all) => {
    const isKnown = all.some((one) => one.login === member.login);
    return isKnown ? all.map((one) => (one.login === member.login ? member : one)) : [...all, member];
  });
  return member;
}

export async function removeMember(site: string, login: string): Promise<void> {
  await call("DELETE", `${membersPath(site)}/${encodeURIComponent(login)}`);
}
