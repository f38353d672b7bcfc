import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Member, OperatedSite, OperatedSiteList, Totals } from "../../api/types.ts";
import { formatBytes, formatNumber, withoutScheme } from "../../format.ts";
import { Ago, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Status } from "../../parts/status.tsx";
import type { Column } from "../../parts/table.tsx";
import { countIn, PagedTable } from "./list.tsx";
import { Choice, FreezeChoice, ManageDialog, manageColumn } from "./manage.tsx";
import { Transfer } from "./transfer.tsx";

export function AllSitesTab(): JSX.Element {
  const [managed, setManaged] = useState<OperatedSite | null>(null);
  const totals = useResource<Totals>("/admin/totals");
  return (
    <>
      <PagedTable<OperatedSiteList, OperatedSite>
        title="Sites"
        class="all-sites"
        path="/admin/sites"
        what="the sites"
        search="Search by name or owner"
        parts={[
          { only: null, name: "All", count: countIn(totals, ({ sites }) => sites.all) },
          { only: "private", name: "Private", icon: "lock", count: countIn(totals, ({ sites }) => sites.private) },
          {
            only: "public",
            name: "Public",
            icon: "globe",
            count: countIn(totals, ({ sites }) => sites.all - sites.private),
          },
          { only: "frozen", name: "Frozen", icon: "snowflake", count: countIn(totals, ({ sites }) => sites.frozen) },
        ]}
        columns={[...COLUMNS, manageColumn<OperatedSite>(({ name }) => name, setManaged)]}
        rowsOf={({ sites }) => sites}
        keyOf={({ name }) => name}
      />
      {managed && <ManageSite start={managed} onClose={() => setManaged(null)} />}
    </>
  );
}

// --- internal ---

const COLUMNS: readonly Column<OperatedSite>[] = [
  {
    key: "name",
    head: "Site",
    class: "s-name",
    isName: true,
    cell: ({ name, url }) => (
      <>
        <span class="strong cut">{name}</span>
        <a class="plain tiny muted cut" href={url} target="_blank" rel="noopener">
          {withoutScheme(url)}
        </a>
      </>
    ),
  },
  { key: "status", head: "Status", class: "s-state", cell: (site) => <SiteStatus site={site} /> },
  { key: "owner", head: "Owner", class: "s-owner", cell: ({ owner }) => <span class="cut">{owner}</span> },
  {
    key: "views",
    head: "Views, 30 days",
    class: "s-views num",
    cell: ({ views_30d }) => formatNumber(views_30d),
  },
  { key: "storage", head: "Storage", class: "s-use num", cell: ({ bytes }) => formatBytes(bytes) },
  {
    key: "deployed",
    head: "Deployed",
    class: "s-seen muted",
    cell: ({ last_deployed_at }) => <Ago at={last_deployed_at} />,
  },
];

function SiteStatus({ site }: { site: OperatedSite }): JSX.Element {
  if (site.frozen) {
    return (
      <Status shape="snowflake" tone="cold">
        Frozen
      </Status>
    );
  }
  return site.private ? <Status shape="lock">Private</Status> : <Status shape="dot">Public</Status>;
}

const FREEZE = {
  freeze: "Visitors see that the site is frozen, and nothing can be deployed.",
  unfreeze: "Visitors can open the site again.",
};

const deletion = ({ owner }: OperatedSite) => ({
  action: "Delete site",
  text: `Its owner, ${owner}, loses all its deployments. This cannot be undone.`,
});

/** Who owns the site, and who else works on it. */
function Team({ path }: { path: string }): JSX.Element {
  const members = useResource<Member[]>(`${path}/members`);
  return (
    <li class="row">
      <div class="grow">
        <h3>Members</h3>
        <Loaded resource={members} what="the members" skeleton={<SkeletonRows rows={1} />}>
          {(all) => <p class="muted small">{all.map(({ login, role }) => `${login} (${role})`).join(", ")}</p>}
        </Loaded>
      </div>
    </li>
  );
}

function ManageSite({ start, onClose }: { start: OperatedSite; onClose: () => void }): JSX.Element {
  const path = `/admin/sites/${start.name}`;
  return (
    <ManageDialog title={start.name} path={path} start={start} deletion={deletion} onClose={onClose}>
      {(site, act, askToDelete) => (
        <ul class="card rows">
          <Team path={path} />
          <FreezeChoice
            name={site.name}
            frozen={site.frozen}
            texts={FREEZE}
            reader="the owner"
            warning={null}
            change={(frozen, done) => act(() => call("PATCH", path, { frozen }), done)}
          />
          <Transfer site={site.name} path={path} act={act} />
          <Choice
            title="Delete"
            text="With all its deployments. Custom domains have to be removed first."
            action="Delete…"
            onClick={askToDelete}
          />
        </ul>
      )}
    </ManageDialog>
  );
}
