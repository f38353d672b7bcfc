import type { JSX } from "preact";

/** A table of deployments while it loads, in its real layout. */
export function TableSkeleton({ rows }: { rows: number }): JSX.Element {
  return (
    <div class="card" aria-hidden="true">
      <ul class="list tall-rows">
        {Array.from({ length: rows }, (_, row) => (
          <li key={row}>
            <span class="bone w3" />
            <span class={`bone w${row % 3}`} />
            <span class="grow" />
            <span class="bone w3" />
            <span class="bone w2" />
          </li>
        ))}
      </ul>
    </div>
  );
}
