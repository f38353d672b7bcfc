import type { ComponentChildren, JSX } from "preact";
import { Icon } from "./icons.tsx";

/** The order of a table. */
export interface Sort<Column extends string> {
  readonly column: Column;
  readonly descending: boolean;
}

/** Returns the order after a click on the head of `column`: reversed, or that column's first order. */
function turned<Column extends string>(sort: Sort<Column>, column: Column, descendingFirst: boolean): Sort<Column> {
  if (sort.column === column) return { column, descending: !sort.descending };
  return { column, descending: descendingFirst };
}

/** The head of a sortable column. `children` is its name. */
export function SortHead<Column extends string>(props: {
  column: Column;
  sort: Sort<Column>;
  onSort: (sort: Sort<Column>) => void;
  /** The classes of the cell; `num` for figures. */
  class?: string;
  /** True if the first click sorts in descending order. */
  descendingFirst?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const { column, sort, descendingFirst = false } = props;
  const order = sort.column === column ? (sort.descending ? "descending" : "ascending") : undefined;
  return (
    <th scope="col" class={props.class} aria-sort={order}>
      <button type="button" class="sort" onClick={() => props.onSort(turned(sort, column, descendingFirst))}>
        {props.children}
        <Icon name="arrowDown" />
      </button>
    </th>
  );
}

/** The name and the classes of each column. */
export type Columns = readonly (readonly [name: string, className?: string])[];

/** The head of a table. `actions` is the class of a last column without a name. */
export function TableHead(props: { columns: Columns; actions?: string }): JSX.Element {
  return (
    <tr>
      {props.columns.map(([name, className]) => (
        <th key={name} scope="col" class={className}>
          {name}
        </th>
      ))}
      {props.actions !== undefined && <td class={props.actions} />}
    </tr>
  );
}
