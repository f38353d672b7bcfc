import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { usePages } from "../../api/pages.ts";
import { useResource } from "../../api/resource.ts";
import type { AuditEntry } from "../../api/types.ts";
import { withMoments } from "../../format.ts";
import { Ago, Head, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Problem } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icons.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { type AuditFilter, auditQuery, NO_FILTER } from "./audit-query.ts";

const PAGE = 100;

/** The changes of all users, with filters and export. */
export function AuditTab(): JSX.Element {
  const [filter, setFilter] = useState(NO_FILTER);
  const query = auditQuery(filter);
  const path = `/admin/audit?${query === "" ? "" : `${query}&`}limit=${PAGE}`;
  const entries = useResource<AuditEntry[]>(path);
  const actions = useActions(entries.data ?? []);
  return (
    <>
      <Head title="Audit log">
        <a class="button" href={`/admin/audit?${query === "" ? "" : `${query}&`}format=csv`} download>
          <Icon name="download" /> CSV
        </a>
      </Head>
      <Filters apply={setFilter} actions={actions} />
      <Loaded resource={entries} what="the audit log" skeleton={<SkeletonRows rows={8} />}>
        {(newest) => <Entries key={path} path={path} newest={newest} loads={entries.loads} />}
      </Loaded>
    </>
  );
}

/** Returns the actions of all entries so far, each with the words for one of them. A hook. */
function useActions(entries: readonly AuditEntry[]): ReadonlyMap<string, string> {
  const { current: known } = useRef(new Map<string, string>());
  for (const { action, summary } of entries) if (!known.has(action)) known.set(action, withMoments(summary));
  return known;
}

interface FiltersProps {
  readonly apply: (filter: AuditFilter) => void;
  readonly actions: ReadonlyMap<string, string>;
}

function Filters({ apply, actions }: FiltersProps): JSX.Element {
  const list = useId();
  const [typed, setTyped] = useState(NO_FILTER);
  const submit = (event: Event) => {
    event.preventDefault();
    apply(typed);
  };
  const field = (name: keyof AuditFilter) => ({
    value: typed[name],
    change: (text: string) => setTyped((now) => ({ ...now, [name]: text })),
  });
  return (
    <form class="form-row" onSubmit={submit}>
      <TextField label="Who" {...field("actor")} autocapitalize="none" />
      <TextField label="Site" {...field("site")} autocapitalize="none" />
      <TextField label="Action" {...field("action")} list={list} placeholder="any" spellcheck={false} />
      <datalist id={list}>
        {[...actions].map(([action, words]) => (
          <option key={action} value={action} label={words} />
        ))}
      </datalist>
      <TextField label="From" {...field("from")} type="date" />
      <TextField label="To" {...field("to")} type="date" />
      <button type="submit" class="button">
        Filter
      </button>
    </form>
  );
}

function Entries(props: { path: string; newest: readonly AuditEntry[]; loads: number }): JSX.Element {
  const { rows, problem, showMore } = usePages(props.path, props, PAGE, ({ id }) => id);
  if (rows.length === 0) return <p class="muted">No changes match.</p>;
  return (
    <div class="card">
      <Table label="Audit log" class="as-list audit" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
      {(showMore || problem) && (
        <div class="card-foot">
          <Problem text={problem} />
          {showMore && (
            <button type="button" class="button small" onClick={showMore}>
              Load more
            </button>
          )}
        </div>
      )}
    </div>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    key: "change",
    head: "Change",
    class: "a-what",
    isName: true,
    cell: ({ summary, address, action }) => (
      <>
        <span class="strong wrap">{withMoments(summary)}</span>
        <span class="tiny muted cut">{address === "" ? action : address}</span>
      </>
    ),
  },
  {
    key: "site",
    head: "Site",
    class: "a-site",
    cell: ({ site }) => site !== null && <span class="cut">{site}</span>,
  },
  {
    key: "who",
    head: "Who",
    class: "a-who",
    cell: ({ actor, kind }) => <span class="cut">{actor === "" ? kind : actor}</span>,
  },
  { key: "when", head: "When", class: "a-when muted", cell: ({ at }) => <Ago at={at} /> },
];
