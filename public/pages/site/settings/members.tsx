import type { JSX } from "preact";
import { MEMBER_ROLES, type MemberRole, may } from "../../../../src/domain/model/role.ts";
import { messageOf } from "../../../api/client.ts";
import { refresh, useResource } from "../../../api/resource.ts";
import type { Member, Site, User } from "../../../api/types.ts";
import { ActionButton } from "../../../parts/action-button.tsx";
import { Ago, Loaded, SkeletonRows } from "../../../parts/basics.tsx";
import { ConfirmButton } from "../../../parts/dialog.tsx";
import { GroupsNote } from "../../../parts/groups.tsx";
import { forgetSite } from "../../../parts/of-site.ts";
import { ROLE_NAMES } from "../../../parts/role-names.ts";
import { Avatar } from "../../../parts/status.tsx";
import { announce, complain } from "../../../parts/toasts.tsx";
import { navigate, SITES } from "../../../router.ts";
import { AddMember } from "./add-member.tsx";
import { type Members, membersPath, removeMember, setMember } from "./member-requests.ts";

export function MembersPanel({ site }: { site: Site }): JSX.Element {
  const members = useResource<Member[]>(membersPath(site.name));
  const mayManage = may(site.role, "manage_members");
  return (
    <section class="section">
      <div class="section-head">
        <h2>Members</h2>
        <p class="muted small">
          People who work on this site. Deployers publish. Maintainers also decide who can see the site, and on which
          domains.
        </p>
        <GroupsNote />
      </div>
      {mayManage && <AddMember site={site.name} members={members} />}
      <Loaded resource={members} what="the members" skeleton={<SkeletonRows rows={2} />}>
        {(all) => (
          <ul class="card list">
            {all.map((member) => (
              <MemberRow key={member.login} {...{ site, member, members, mayManage }} />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

interface RowProps {
  readonly site: Site;
  readonly member: Member;
  readonly members: Members;
  readonly mayManage: boolean;
}

function MemberRow({ site: { name: site }, member, members, mayManage }: RowProps): JSX.Element {
  const { login, role } = member;
  const isMe = useResource<User>("/auth/me").data?.login === login;
  const remove = async () => {
    await removeMember(site, login);
    members.set((all) => all.filter((one) => one.login !== login));
    announce(`${login} is no longer a member of ${site}.`, async () => {
      if (role !== "owner") await setMember(site, login, role, members);
    });
  };
  const choose = async (wanted: MemberRole) => {
    try {
      await setMember(site, login, wanted, members);
      announce(`${login} is now a ${wanted} of ${site}.`);
    } catch (error) {
      complain(messageOf(error));
      await refresh(membersPath(site));
    }
  };
  return (
    <li>
      <Avatar name={login} />
      <div class="grow">
        <h3 class="strong cut">{login}</h3>
        <p class="tiny muted cut">
          {role === "owner" ? "Created the site" : "Added"} <Ago at={member.added_at} />
          {member.added_by !== null && ` by ${member.added_by}`}
        </p>
      </div>
      {mayManage && role !== "owner" ? (
        <>
          <select
            aria-label={`Role of ${login}`}
            value={role}
            onChange={(event) => choose(event.currentTarget.value as MemberRole)}
          >
            {MEMBER_ROLES.map((one) => (
              <option key={one} value={one}>
                {ROLE_NAMES[one]}
              </option>
            ))}
          </select>
          <ActionButton class="small" run={remove}>
            Remove<span class="visually-hidden"> {login}</span>
          </ActionButton>
        </>
      ) : (
        <span class="badge">{ROLE_NAMES[role]}</span>
      )}
      {isMe && role !== "owner" && <Leave site={site} login={login} />}
    </li>
  );
}

function Leave({ site, login }: { site: string; login: string }): JSX.Element {
  const leave = async () => {
    await removeMember(site, login);
    forgetSite(site);
    navigate(SITES);
    announce(`You are no longer a member of ${site}.`);
    await refresh("/site");
  };
  return (
    <ConfirmButton label="Leave…" class="small" title={`Leave ${site}?`} action="Leave" onConfirm={leave}>
      <p class="muted">
        You lose the site at once, and deployment tokens that you made stop working. Its owner can add you again.
      </p>
    </ConfirmButton>
  );
}
