import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Resource, useResource } from "../../api/resource.ts";
import { formatNumber } from "../../format.ts";
import { Head, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { SearchField } from "../../parts/field.tsx";
import { Icon, type IconName } from "../../parts/icons.tsx";
import { ScrollRow } from "../../parts/scroll-row.tsx";
import { useSettled } from "../../parts/settled.ts";
import { Cells, type Column, Heads } from "../../parts/table.tsx";

const PAGE = 100;

interface Paged {
  readonly next_cursor: string | null;
}

/** A filter of the list, as in the API, with its count; null for the whole list. */
interface Part {
  readonly only: string | null;
  readonly name: string;
  readonly icon?: IconName;
  /** Undefined while it is loading, null if it cannot be loaded. */
  readonly count: number | null | undefined;
}

/** Returns a count of the resource. */
export function countIn<T>({ data, error }: Resource<T>, read: (data: T) => number): Part["count"] {
  if (data !== undefined) return read(data);
  return error ? null : undefined;
}

interface Listing<Data extends Paged, Row> {
  readonly path: string;
  readonly what: string;
  readonly rowsOf: (data: Data) => readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}

/** A list that the server searches and returns in pages. */
export function PagedTable<Data extends Paged, Row>(
  props: Listing<Data, Row> & {
    title: string;
    class: string;
    search: string;
    parts: readonly Part[];
    actions?: ComponentChildren;
  },
): JSX.Element {
  const [wanted, setWanted] = useState("");
  const [only, setOnly] = useState<Part["only"]>(null);
  const query = [
    `limit=${PAGE}`,
    ...(wanted === "" ? [] : [`q=${encodeURIComponent(wanted)}`]),
    ...(only === null ? [] : [`only=${only}`]),
  ].join("&");
  const first = useResource<Data>(`${props.path}?${query}`);
  return (
    <>
      <Head title={props.title}>{props.actions}</Head>
      <search class="filters">
        <DelayedSearch label={props.search} search={setWanted} />
        {/* Hidden while loading, because each moves with the width of the counts before it. */}
        <ScrollRow class="chips" busy={props.parts.some(({ count }) => count === undefined)}>
          {props.parts.map((part) => (
            <PartChip key={part.name} part={part} chosen={part.only === only} choose={() => setOnly(part.only)} />
          ))}
        </ScrollRow>
      </search>
      <Loaded resource={first} what={props.what} skeleton={<SkeletonRows rows={8} />}>
        {(data) =>
          props.rowsOf(data).length === 0 ? (
            <p class="muted">{wanted === "" ? "There is nothing here." : `Nothing matches “${wanted}”.`}</p>
          ) : (
            <div class="card">
              <table class={`table as-list ${props.class}`} aria-label={props.title}>
                <thead>
                  <tr>
                    <Heads columns={props.columns} />
                  </tr>
                </thead>
                <Page key={query} {...props} query={query} cursor={null} />
              </table>
            </div>
          )
        }
      </Loaded>
    </>
  );
}

/** Calls `search` with the text once typing has stopped. Only the field is drawn meanwhile. */
function DelayedSearch({ label, search }: { label: string; search: (text: string) => void }): JSX.Element {
  const [typed, setTyped] = useState("");
  const settled = useSettled(typed.trim());
  useEffect(() => search(settled), [settled]);
  return <SearchField label={label} placeholder={label} value={typed} change={setTyped} />;
}

function PartChip({ part, chosen, choose }: { part: Part; chosen: boolean; choose: () => void }): JSX.Element {
  const { name, icon, count } = part;
  return (
    <button type="button" class="chip" aria-pressed={chosen} onClick={choose}>
      {icon && <Icon name={icon} />}
      {name}
      <span class="faint">{count == null ? "\u00a0" : formatNumber(count)}</span>
    </button>
  );
}

/** One page of rows, which is refreshed automatically, and the further pages that were requested. */
function Page<Data extends Paged, Row>(
  props: Listing<Data, Row> & { query: string; cursor: string | null },
): JSX.Element {
  const { path, query, cursor, columns, keyOf } = props;
  const [more, setMore] = useState(false);
  const resource = useResource<Data>(`${path}?${query}${cursor === null ? "" : `&cursor=${cursor}`}`);
  const next = resource.data?.next_cursor ?? null;
  return (
    <>
      <tbody>
        {resource.data &&
          props.rowsOf(resource.data).map((row) => (
            <tr key={keyOf(row)}>
              <Cells columns={columns} row={row} />
            </tr>
          ))}
        {resource.data === undefined && (
          <Message columns={columns.length} text={resource.error?.detail ?? "Loading …"} />
        )}
        {next !== null && !more && (
          <Message
            columns={columns.length}
            text={
              <button type="button" class="button small" onClick={() => setMore(true)}>
                Load more
              </button>
            }
          />
        )}
      </tbody>
      {next !== null && more && <Page {...props} cursor={next} />}
    </>
  );
}

/** Spans the columns that exist. Further columns would take a share of the width. */
function Message({ columns, text }: { columns: number; text: ComponentChildren }): JSX.Element {
  return (
    <tr class="group">
      <td colSpan={columns}>{text}</td>
    </tr>
  );
}
