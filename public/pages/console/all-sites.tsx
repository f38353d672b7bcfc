import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { OperatedSite, OperatedSiteList, Totals } from "../../api/types.ts";
import { formatBytes, formatNumber } from "../../format.ts";
import { Ago } from "../../parts/basics.tsx";
import { Status } from "../../parts/status.tsx";
import { countIn, PagedTable } from "./list.tsx";
import { Choice, FreezeChoice, ManageButton, ManageDialog } from "./manage.tsx";
import { Transfer } from "./transfer.tsx";

const COLUMNS = [
  ["Site"],
  ["Status", "s-state"],
  ["Owner", "s-owner"],
  ["Views, 30 days", "s-views num"],
  ["Storage", "s-use num"],
  ["Deployed", "s-seen"],
] as const;

/** The sites of all users. */
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
          { only: "frozen", name: "Frozen", icon: "snowflake", count: countIn(totals, ({ sites }) => sites.frozen) },
        ]}
        columns={COLUMNS}
        rowsOf={({ sites }) => sites}
        row={(site) => <SiteRow key={site.name} site={site} manage={() => setManaged(site)} />}
      />
      {managed && <ManageSite start={managed} onClose={() => setManaged(null)} />}
    </>
  );
}

function SiteRow({ site, manage }: { site: OperatedSite; manage: () => void }): JSX.Element {
  return (
    <tr>
      <th scope="row" class="s-name">
        <span class="strong cut">{site.name}</span>
        <a class="plain tiny muted cut" href={site.url} target="_blank" rel="noopener">
          {site.url.replace(/^https?:\/\//, "")}
        </a>
      </th>
      <td class="s-state">
        <SiteStatus site={site} />
      </td>
      <td class="s-owner">
        <span class="cut">{site.owner}</span>
      </td>
      <td class="s-views num">{formatNumber(site.views_30d)}</td>
      <td class="s-use num">{formatBytes(site.bytes)}</td>
      <td class="s-seen muted">
        <Ago at={site.last_deployed_at} />
      </td>
      <td class="c-more">
        <ManageButton name={site.name} onClick={manage} />
      </td>
    </tr>
  );
}

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

function ManageSite({ start, onClose }: { start: OperatedSite; onClose: () => void }): JSX.Element {
  const path = `/admin/sites/${start.name}`;
  return (
    <ManageDialog title={start.name} path={path} start={start} deletion={deletion} onClose={onClose}>
      {(site, act, askToDelete) => (
        <ul class="card rows">
          <FreezeChoice
            name={site.name}
            frozen={site.frozen}
            texts={FREEZE}
            reader="the owner"
            change={(frozen, done) => void act(() => call("PATCH", path, { frozen }), done)}
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
