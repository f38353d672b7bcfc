import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../api/resource.ts";
import type { Account, AccountList, Totals, User } from "../../api/types.ts";
import { formatBytes, formatDate, formatMoment, formatNumber } from "../../format.ts";
import { Ago } from "../../parts/basics.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Avatar, Meter, Status } from "../../parts/status.tsx";
import { Invite } from "./invite.tsx";
import { countIn, PagedTable } from "./list.tsx";
import { ManageButton } from "./manage.tsx";
import { ManagePerson } from "./manage-person.tsx";

/** The share of a limit from which its bar is amber. */
const NEARLY_FULL = 0.85;

const COLUMNS = [
  ["Person"],
  ["Status", "p-state"],
  ["Sites", "p-sites num"],
  ["Storage", "p-use"],
  ["Last active", "p-seen"],
  ["Created", "p-since"],
] as const;

/** All users. */
export function PeopleTab(): JSX.Element {
  const [inviting, setInviting] = useState(false);
  const [managed, setManaged] = useState<Account | null>(null);
  const me = useResource<User>("/auth/me").data;
  const totals = useResource<Totals>("/admin/totals");
  return (
    <>
      <PagedTable<AccountList, Account>
        title="People"
        class="crew"
        path="/admin/users"
        what="the people"
        search="Search by login or name"
        parts={[
          { only: null, name: "All", count: countIn(totals, ({ users }) => users.all) },
          {
            only: "operators",
            name: "Operators",
            icon: "shield",
            count: countIn(totals, ({ users }) => users.operators),
          },
          { only: "frozen", name: "Frozen", icon: "snowflake", count: countIn(totals, ({ users }) => users.frozen) },
        ]}
        actions={
          me?.provider === "local" && (
            <button type="button" class="button primary" onClick={() => setInviting(true)}>
              <Icon name="plus" /> Invite
            </button>
          )
        }
        columns={COLUMNS}
        rowsOf={({ users }) => users}
        row={(user) => <PersonRow key={user.login} user={user} manage={() => setManaged(user)} />}
      />
      {inviting && <Invite onClose={() => setInviting(false)} />}
      {managed && (
        <ManagePerson person={managed} isSelf={managed.login === me?.login} onClose={() => setManaged(null)} />
      )}
    </>
  );
}

function PersonRow({ user, manage }: { user: Account; manage: () => void }): JSX.Element {
  return (
    <tr>
      <th scope="row" class="p-who">
        <span class="person">
          <Avatar name={user.name ?? user.login} />
          <span class="grow">
            <span class="line">
              <span class="strong cut">{user.login}</span>
              {user.operator && <span class="badge accent">Operator</span>}
            </span>
            {user.name !== null && <span class="tiny muted cut">{user.name}</span>}
          </span>
        </span>
      </th>
      <td class="p-state">
        {user.frozen ? (
          <Status shape="snowflake" tone="cold">
            Frozen
          </Status>
        ) : (
          <Status shape="dot">Active</Status>
        )}
      </td>
      <td class="p-sites num">
        {formatNumber(user.sites)}
        {user.max_sites !== null && <span class="muted"> of {formatNumber(user.max_sites)}</span>}
      </td>
      <td class="p-use">
        <Quota used={user.bytes} limit={user.max_bytes} />
      </td>
      <td class="p-seen muted">{user.last_seen_at === null ? "never" : <Ago at={user.last_seen_at} />}</td>
      <td class="p-since muted">
        <time dateTime={user.created_at} title={formatMoment(user.created_at)}>
          {formatDate(user.created_at)}
        </time>
      </td>
      <td class="c-more">
        <ManageButton name={user.login} onClick={manage} />
      </td>
    </tr>
  );
}

/** The usage of a limit, as a bar and as figures. */
function Quota({ used, limit }: { used: number; limit: number | null }): JSX.Element {
  if (limit === null) return <span class="quota no-limit">{formatBytes(used)}</span>;
  const share = limit === 0 ? 1 : used / limit;
  const tone = share >= NEARLY_FULL ? "warn" : undefined;
  return (
    <span class="quota">
      <Meter share={share} tone={tone} />
      <span>
        <span class={tone}>{formatBytes(used)}</span> <span class="muted">of {formatBytes(limit)}</span>
      </span>
    </span>
  );
}
