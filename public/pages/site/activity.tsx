import type { JSX } from "preact";
import { usePages } from "../../api/pages.ts";
import { useResource } from "../../api/resource.ts";
import type { AuditEntry, Site } from "../../api/types.ts";
import { Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Problem } from "../../parts/dialog.tsx";
import { ActivityList } from "./activity-list.tsx";

/** Page size. */
const PAGE = 50;

export function ActivityTab({ site }: { site: Site }): JSX.Element {
  const path = `/sites/${site.name}/audit?limit=${PAGE}`;
  const entries = useResource<AuditEntry[]>(path);
  return (
    <Loaded resource={entries} what="the activity" skeleton={<SkeletonRows rows={4} />}>
      {(newest) => <Log path={path} newest={newest} loads={entries.loads} />}
    </Loaded>
  );
}

function Log(props: { path: string; newest: readonly AuditEntry[]; loads: number }): JSX.Element {
  const { rows, problem, showMore } = usePages(props.path, props, PAGE, ({ id }) => id);
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
