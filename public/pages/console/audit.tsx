import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { useResource } from "../../api/resource.ts";
import type { AuditEntry } from "../../api/types.ts";
import { Ago, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Problem } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icons.tsx";
import { TableHead } from "../../parts/table.tsx";
import { type AuditFilter, auditQuery, NO_FILTER } from "./audit-query.ts";

const PAGE = 100;
const COLUMNS = [["Change"], ["Site", "a-site"], ["Who", "a-who"], ["When", "a-when"]] as const;

/** The changes of all users, with filters and export. */
export function AuditTab(): JSX.Element {
  const [filter, setFilter] = useState(NO_FILTER);
  const query = auditQuery(filter);
  const path = `/admin/audit?${query === "" ? "" : `${query}&`}limit=${PAGE}`;
  const entries = useResource<AuditEntry[]>(path);
  const actions = useActions(entries.data ?? []);
  return (
    <>
      <div class="head">
        <h1 class="grow" tabIndex={-1}>
          Audit log
        </h1>
        <a class="button" href={`/admin/audit?${query === "" ? "" : `${query}&`}format=csv`} download>
          <Icon name="download" /> CSV
        </a>
      </div>
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
  for (const { action, summary } of entries) if (!known.has(action)) known.set(action, summary);
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
  const { path, newest: data, loads } = props;
  const ask = (before: number) => call<AuditEntry[]>("GET", `${path}&before=${before}`);
  const { rows, problem, showMore } = usePages({ data, loads }, PAGE, ({ id }) => id, ask);
  if (rows.length === 0) return <p class="muted">No changes match.</p>;
  return (
    <div class="card">
      <table class="table as-list audit" aria-label="Audit log">
        <thead>
          <TableHead columns={COLUMNS} />
        </thead>
        <tbody>
          {rows.map((entry) => (
            <EntryRow key={entry.id} entry={entry} />
          ))}
        </tbody>
      </table>
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

function EntryRow({ entry }: { entry: AuditEntry }): JSX.Element {
  return (
    <tr>
      <th scope="row" class="a-what">
        <span class="strong wrap">{entry.summary}</span>
        <span class="tiny muted cut">{entry.address === "" ? entry.action : entry.address}</span>
      </th>
      <td class="a-site">{entry.site !== null && <span class="cut">{entry.site}</span>}</td>
      <td class="a-who">
        <span class="cut">{entry.actor === "" ? entry.kind : entry.actor}</span>
      </td>
      <td class="a-when muted">
        <Ago at={entry.at} />
      </td>
    </tr>
  );
}
