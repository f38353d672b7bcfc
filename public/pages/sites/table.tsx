import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { count } from "../../format.ts";
import { useArrivals } from "../../parts/arrivals.tsx";
import { Heads, type Sort, shownOf } from "../../parts/table.tsx";
import { useWindowed } from "../../parts/windowed.ts";
import { COLUMNS } from "./columns.tsx";
import { Row, type RowActions } from "./row.tsx";
import type { SiteRow } from "./rows.ts";
import { isSelectable } from "./selection.ts";

/** The table of sites. Only the rows near the window are drawn, so that thousands of them scroll smoothly. */
export function SiteTable(props: {
  rows: readonly SiteRow[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  selected: ReadonlySet<string>;
  select: (names: readonly string[], selected: boolean) => void;
  actions: RowActions;
}): JSX.Element {
  const { rows, sort, onSort, selected } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const { from, to, before, after } = useWindowed(body, rows.length);
  const arrived = useArrivals(rows, ({ name }) => name, body);
  const own = rows.filter(isSelectable).map(({ name }) => name);
  const isAll = own.length > 0 && own.every((name) => selected.has(name));
  return (
    <div class="card sites-card">
      <table
        class={selected.size > 0 ? "table sites as-list selecting" : "table sites as-list"}
        aria-label="Sites"
        aria-rowcount={rows.length + 1}
      >
        <Head
          sort={sort}
          onSort={onSort}
          label={`Select all ${count(own.length, "site")}`}
          isAll={isAll}
          selectAll={() => props.select(own, !isAll)}
        />
        <tbody ref={body}>
          <Spacer key="before" height={before} />
          {rows.slice(from, to).map((row, index) => (
            <Row
              key={row.name}
              row={row}
              index={from + index + 2}
              selected={selected.has(row.name)}
              arrived={arrived.has(row.name)}
              select={props.select}
              actions={props.actions}
            />
          ))}
          <Spacer key="after" height={after} />
        </tbody>
      </table>
    </div>
  );
}

function Head(props: {
  sort: Sort;
  onSort: (sort: Sort) => void;
  /** The label of the box that selects all rows. */
  label: string;
  isAll: boolean;
  selectAll: () => void;
}): JSX.Element {
  return (
    <thead>
      <tr>
        <td class="c-check">
          <input
            type="checkbox"
            class="check shy"
            aria-label={props.label}
            checked={props.isAll}
            onChange={props.selectAll}
          />
        </td>
        <Heads columns={COLUMNS} sorting={{ sort: props.sort, onSort: props.onSort }} />
        <td class="c-more" />
      </tr>
    </thead>
  );
}

/** With the box before them, and the menu after them. */
const CELLS = shownOf(COLUMNS).length + 2;

function Spacer({ height }: { height: number }): JSX.Element | null {
  if (height === 0) return null;
  return (
    <tr class="spacer" style={{ height: `${height}px` }}>
      <td colSpan={CELLS} />
    </tr>
  );
}
