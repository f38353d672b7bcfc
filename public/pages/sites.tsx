import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useResource } from "../api/resource.ts";
import type { HostingCapability, SharedSite, Site, SiteFigures } from "../api/types.ts";
import { requestDeploy } from "../deploy/request.ts";
import { count } from "../format.ts";
import { EmptyFace, Head, Loaded, NotLoaded, Page } from "../parts/basics.tsx";
import { Icon } from "../parts/icons.tsx";
import { BulkBar } from "./sites/bulk.tsx";
import { Filters } from "./sites/filters.tsx";
import { FirstSite } from "./sites/first-site.tsx";
import { type Requested, RowDialog, useRowActions } from "./sites/row-dialog.tsx";
import { rowsOf, type SiteRow } from "./sites/rows.ts";
import { selectionOf } from "./sites/selection.ts";
import { SitesSkeleton } from "./sites/skeleton.tsx";
import { Summary } from "./sites/summary.tsx";
import { SiteTable } from "./sites/table.tsx";
import { FIRST_VIEW, shownRows, useView } from "./sites/view.ts";

const NONE: readonly SharedSite[] = [];
const NO_FIGURES: readonly SiteFigures[] = [];

export function SitesPage(): JSX.Element {
  const sites = useResource<Site[]>("/sites");
  const shared = useResource<SharedSite[]>("/shared-sites");
  const figures = useResource<SiteFigures[]>("/site-figures");
  const hosting = useResource<HostingCapability>("/capabilities/hosting", { fixed: true });
  const own = sites.data;
  const others = shared.data ?? NONE;
  const siteUrl = hosting.data?.site_url;
  const known = figures.data ?? (figures.error ? NO_FIGURES : undefined);
  const rows = useMemo(
    () => rowsOf({ sites: own ?? [], shared: others, figures: known, siteUrl }),
    [own, others, known, siteUrl],
  );
  if (own?.length === 0 && shared.data?.length === 0) {
    return (
      <Page title="Sites">
        <FirstSite />
      </Page>
    );
  }
  return (
    <Page title="Sites">
      <Head title="Sites">
        <button type="button" class="button primary" onClick={() => requestDeploy({ site: null, dropped: null })}>
          <Icon name="plus" /> New site
        </button>
      </Head>
      <NotLoaded resource={hosting} what="the URLs" />
      <NotLoaded resource={shared} what="the sites that are shared with you" />
      <NotLoaded resource={figures} what="the figures" />
      <Loaded resource={sites} what="your sites" skeleton={<SitesSkeleton />}>
        {() => <SiteList rows={rows} figures={figures.data} />}
      </Loaded>
    </Page>
  );
}

function SiteList({ rows, figures }: { rows: readonly SiteRow[]; figures: SiteFigures[] | undefined }): JSX.Element {
  const [view, change] = useView();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [requested, setRequested] = useState<Requested | null>(null);
  const shown = useMemo(() => shownRows(rows, view), [rows, view]);
  const actions = useRowActions(setRequested);
  // A stable function, so that rows are not drawn again.
  const [select] = useState(() => (names: readonly string[], selected: boolean) => {
    setChosen((before) => {
      const next = new Set(before);
      for (const name of names) selected ? next.add(name) : next.delete(name);
      return next;
    });
  });
  const clear = () => setChosen(new Set());
  const selection = selectionOf(rows, shown, chosen);
  return (
    <>
      <Summary rows={rows} figures={figures} showAttention={() => change({ ...FIRST_VIEW, kind: "attention" })} />
      <Filters rows={rows} view={view} change={change} />
      {shown.length > 0 ? (
        <SiteTable
          rows={shown}
          sort={view.sort}
          onSort={(sort) => change({ sort })}
          selected={chosen}
          select={select}
          actions={actions}
        />
      ) : (
        <NoMatch reset={() => change({ ...FIRST_VIEW, sort: view.sort })} />
      )}
      <p class="visually-hidden" role="status">
        {shown.length === rows.length ? "" : count(shown.length, "site")}
      </p>
      {(selection.rows.length > 0 || selection.hidden > 0) && <BulkBar selection={selection} clear={clear} />}
      {requested && <RowDialog requested={requested} onClose={() => setRequested(null)} />}
    </>
  );
}

function NoMatch({ reset }: { reset: () => void }): JSX.Element {
  return (
    <div class="card">
      <EmptyFace icon="search" title="No sites match">
        <p>No name, domain or tag contains this text, or another filter hides it.</p>
        <div class="actions">
          <button type="button" class="button" onClick={reset}>
            Show all sites
          </button>
        </div>
      </EmptyFace>
    </div>
  );
}
