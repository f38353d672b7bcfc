import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../api/resource.ts";
import type { Account, AccountList, Totals, User } from "../../api/types.ts";
import { formatBytes, formatDate, formatMoment, formatNumber } from "../../format.ts";
import { Ago } from "../../parts/basics.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Avatar, Meter, Status } from "../../parts/status.tsx";
import type { Column } from "../../parts/table.tsx";
import { Invite } from "./invite.tsx";
import { countIn, PagedTable } from "./list.tsx";
import { manageColumn } from "./manage.tsx";
import { ManagePerson } from "./manage-person.tsx";

/** The share of a limit from which its bar is amber. */
const NEARLY_FULL = 0.85;

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
        columns={[...COLUMNS, manageColumn<Account>(({ login }) => login, setManaged)]}
        rowsOf={({ users }) => users}
        keyOf={({ login }) => login}
      />
      {inviting && <Invite onClose={() => setInviting(false)} />}
      {managed && (
        <ManagePerson person={managed} isSelf={managed.login === me?.login} onClose={() => setManaged(null)} />
      )}
    </>
  );
}

// --- internal ---

const COLUMNS: readonly Column<Account>[] = [
  { key: "person", head: "Person", class: "p-who", isName: true, cell: (user) => <Person user={user} /> },
  {
    key: "status",
    head: "Status",
    class: "p-state",
    cell: ({ frozen }) =>
      frozen ? (
        <Status shape="snowflake" tone="cold">
          Frozen
        </Status>
      ) : (
        <Status shape="dot">Active</Status>
      ),
  },
  {
    key: "sites",
    head: "Sites",
    class: "p-sites num",
    cell: ({ sites, max_sites }) => (
      <>
        {formatNumber(sites)}
        {max_sites !== null && <span class="muted"> of {formatNumber(max_sites)}</span>}
      </>
    ),
  },
  {
    key: "storage",
    head: "Storage",
    class: "p-use",
    cell: ({ bytes, max_bytes }) => <Quota used={bytes} limit={max_bytes} />,
  },
  {
    key: "seen",
    head: "Last active",
    class: "p-seen muted",
    cell: ({ last_seen_at }) => (last_seen_at === null ? "never" : <Ago at={last_seen_at} />),
  },
  {
    key: "created",
    head: "Created",
    class: "p-since muted",
    cell: ({ created_at }) => (
      <time dateTime={created_at} title={formatMoment(created_at)}>
        {formatDate(created_at)}
      </time>
    ),
  },
];

function Person({ user: { login, name, operator } }: { user: Account }): JSX.Element {
  return (
    <span class="person">
      <Avatar name={name ?? login} />
      <span class="grow">
        <span class="line">
          <span class="strong cut">{login}</span>
          {operator && <span class="badge accent">Operator</span>}
        </span>
        {name !== null && <span class="tiny muted cut">{name}</span>}
      </span>
    </span>
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
