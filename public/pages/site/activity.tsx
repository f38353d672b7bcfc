import type { JSX } from "preact";
import { call } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { useResource } from "../../api/resource.ts";
import type { AuditEntry, Site } from "../../api/types.ts";
import { Ago, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Problem } from "../../parts/dialog.tsx";
import { Icon, type IconName } from "../../parts/icons.tsx";

/** Page size. */
const PAGE = 50;

const ICONS: Readonly<Record<AuditEntry["kind"], IconName>> = {
  session: "user",
  deployment_token: "key",
  operator: "terminal",
  visitor: "globe",
};

export function ActivityTab({ site }: { site: Site }): JSX.Element {
  const entries = useResource<AuditEntry[]>(`/sites/${site.name}/audit?limit=${PAGE}`);
  return (
    <section class="section">
      <div class="section-head">
        <h2>Activity</h2>
        <p class="muted small">Every change to {site.name}: who made it, when and from which address.</p>
      </div>
      <Loaded resource={entries} what="the activity" skeleton={<SkeletonRows rows={4} />}>
        {(newest) => <Log site={site.name} newest={newest} loads={entries.loads} />}
      </Loaded>
    </section>
  );
}

function Log(props: { site: string; newest: readonly AuditEntry[]; loads: number }): JSX.Element {
  const { site, newest: data, loads } = props;
  const ask = (before: number) => call<AuditEntry[]>("GET", `/sites/${site}/audit?limit=${PAGE}&before=${before}`);
  const { rows, problem, showMore } = usePages({ data, loads }, PAGE, ({ id }) => id, ask);
  if (rows.length === 0) return <p class="muted">No activity yet.</p>;
  return (
    <>
      <ol class="card rows">
        {rows.map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </ol>
      <Problem text={problem} />
      {showMore && (
        <button type="button" class="button" onClick={showMore}>
          Show older activity
        </button>
      )}
    </>
  );
}

function Row({ entry }: { entry: AuditEntry }): JSX.Element {
  return (
    <li class="row activity">
      <div class="grow">
        <h3>{entry.summary}</h3>
        <p class="muted small">
          <Icon name={ICONS[entry.kind]} size={13} /> by <strong>{doerOf(entry)}</strong>
          {entry.address !== "" && (
            <>
              <span class="faint"> · </span>
              {entry.address}
            </>
          )}
          <span class="faint"> · </span>
          <Ago at={entry.at} />
        </p>
      </div>
    </li>
  );
}

function doerOf({ kind, actor }: AuditEntry): string {
  switch (kind) {
    case "session":
      return actor;
    case "deployment_token":
      return `token ${actor}`;
    case "operator":
      return "the operator";
    case "visitor":
      return "a visitor";
  }
}
