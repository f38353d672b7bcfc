import type { JSX } from "preact";
import { call } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { useResource } from "../../api/resource.ts";
import type { AuditEntry, Site } from "../../api/types.ts";
import { Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Problem } from "../../parts/dialog.tsx";
import { ActivityList } from "./activity-list.tsx";

/** Page size. */
const PAGE = 50;

export function ActivityTab({ site }: { site: Site }): JSX.Element {
  const entries = useResource<AuditEntry[]>(`/sites/${site.name}/audit?limit=${PAGE}`);
  return (
    <Loaded resource={entries} what="the activity" skeleton={<SkeletonRows rows={4} />}>
      {(newest) => <Log site={site.name} newest={newest} loads={entries.loads} />}
    </Loaded>
  );
}

function Log(props: { site: string; newest: readonly AuditEntry[]; loads: number }): JSX.Element {
  const { site, newest: data, loads } = props;
  const ask = (before: number) => call<AuditEntry[]>("GET", `/sites/${site}/audit?limit=${PAGE}&before=${before}`);
  const { rows, problem, showMore } = usePages({ data, loads }, PAGE, ({ id }) => id, ask);
  if (rows.length === 0) return <p class="muted">No activity yet.</p>;
  return (
    <>
      <div class="card">
        <ActivityList entries={rows} withAddress />
      </div>
      <Problem text={problem} />
      {showMore && (
        <button type="button" class="button" onClick={showMore}>
          Show older activity
        </button>
      )}
    </>
  );
}
