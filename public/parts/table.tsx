import type { ComponentChildren, JSX } from "preact";
import { Icon } from "./icons.tsx";

/** A column of a list: its head, its cells and its order in one entry. */
export interface Column<Row> {
  /** Names the column, also in the URL of a sorted list. */
  readonly key: string;
  /** Empty for cells that need no heading, such as buttons. */
  readonly head: string;
  /** The classes of its cells; `num` for figures. */
  readonly class?: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** True if its cells name the rows. */
  readonly isName?: true;
  /** The order of rows by this column. A click on the head sorts by it. */
  readonly compare?: (one: Row, other: Row) => number;
  /** True if the first click sorts in descending order. */
  readonly descendingFirst?: true;
  /** True to leave it out of this list. */
  readonly hidden?: boolean;
}

/** The order of a table. `column` is the key of a column. */
export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/** A list with one row per entry. */
export function Table<Row>(props: {
  label: string;
  /** The classes of the table. */
  class: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
}): JSX.Element {
  const { label, columns, rows, keyOf } = props;
  return (
    <table class={`table ${props.class}`} aria-label={label}>
      <thead>
        <tr>
          <Heads columns={columns} />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <Cells columns={columns} row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Sorts the rows of a list, if its columns have an order. */
interface Sorting {
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
}

export function Heads<Row>(props: { columns: readonly Column<Row>[]; sorting?: Sorting }): JSX.Element {
  const { columns, sorting } = props;
  return (
    <>
      {shownOf(columns).map((column) => {
        if (sorting && column.compare) return <SortHead key={column.key} column={column} {...sorting} />;
        if (column.head === "") return <td key={column.key} class={column.class} />;
        return (
          <th key={column.key} scope="col" class={column.class}>
            {column.head}
          </th>
        );
      })}
    </>
  );
}

export function Cells<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }): JSX.Element {
  return (
    <>
      {shownOf(columns).map(({ key, class: className, cell, isName }) =>
        isName ? (
          <th key={key} scope="row" class={className}>
            {cell(row)}
          </th>
        ) : (
          <td key={key} class={className}>
            {cell(row)}
          </td>
        ),
      )}
    </>
  );
}

/** Returns the columns that a list shows. */
export function shownOf<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  return columns.filter(({ hidden }) => !hidden);
}

// --- internal ---

function SortHead<Row>({ column, sort, onSort }: { column: Column<Row> } & Sorting): JSX.Element {
  const order = sort.column === column.key ? (sort.descending ? "descending" : "ascending") : undefined;
  return (
    <th scope="col" class={column.class} aria-sort={order}>
      <button type="button" class="sort" onClick={() => onSort(turned(sort, column))}>
        {column.head}
        <Icon name="arrowDown" />
      </button>
    </th>
  );
}

/** Returns the order after a click on the head of `column`: reversed, or that column's first order. */
function turned<Row>(sort: Sort, { key, descendingFirst }: Column<Row>): Sort {
  return { column: key, descending: sort.column === key ? !sort.descending : descendingFirst === true };
}
