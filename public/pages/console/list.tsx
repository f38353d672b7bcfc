import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Resource, useResource } from "../../api/resource.ts";
import { Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Icon } from "../../parts/icons.tsx";

const PAGE = 100;
/** The server's maximum page size. */
const MAX_PAGE = 1000;
const TYPING_MS = 250;

export interface Listed<T> {
  readonly resource: Resource<T>;
  readonly wanted: string;
  readonly setWanted: (text: string) => void;
  readonly showMore: () => void;
  readonly mayShowMore: boolean;
}

/** A list with search on the server and more rows on demand. */
export function useListed<T>(path: string): Listed<T> {
  const [wanted, setWanted] = useState("");
  const [asked, setAsked] = useState("");
  const [limit, setLimit] = useState(PAGE);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const query = new URLSearchParams({ limit: String(limit), ...(asked === "" ? {} : { q: asked }) });
  return {
    resource: useResource<T>(`${path}?${query}`),
    wanted,
    setWanted,
    showMore: () => setLimit(MAX_PAGE),
    mayShowMore: limit < MAX_PAGE,
  };
}

/** A search field and a table. `cursor` tells whether there are more rows. */
export function ListedTable<T extends { readonly next_cursor: string | null }>(props: {
  listed: Listed<T>;
  what: string;
  search: string;
  head: ComponentChildren;
  /** The rows, or null if there are none. */
  rows: (data: T) => readonly JSX.Element[];
  actions?: ComponentChildren;
}): JSX.Element {
  const { listed, what, search } = props;
  return (
    <section class="section">
      <div class="list-head">
        <label class="with-icon">
          <Icon name="search" />
          <input
            type="search"
            value={listed.wanted}
            placeholder={search}
            aria-label={search}
            onInput={(event) => listed.setWanted(event.currentTarget.value)}
          />
        </label>
        {props.actions}
      </div>
      <Loaded resource={listed.resource} what={what} skeleton={<SkeletonRows rows={6} />}>
        {(data) => {
          const rows = props.rows(data);
          if (rows.length === 0) return <p class="muted">Nothing matches “{listed.wanted}”.</p>;
          return (
            <>
              <div class="card">
                <table class="list">
                  <thead>{props.head}</thead>
                  <tbody>{rows}</tbody>
                </table>
              </div>
              {data.next_cursor !== null && (
                <More mayShowMore={listed.mayShowMore} showMore={listed.showMore} count={rows.length} />
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function More(props: { mayShowMore: boolean; showMore: () => void; count: number }): JSX.Element {
  if (!props.mayShowMore) return <p class="muted small">The first {props.count} are shown. Search for others.</p>;
  return (
    <button type="button" class="button" onClick={props.showMore}>
      Show more
    </button>
  );
}
