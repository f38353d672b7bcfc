import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { formatNumber } from "../../format.ts";
import { Card } from "../../parts/card.tsx";

interface Rank {
  readonly name: string;
  readonly count: number;
}

/** The number of rows of a folded list; the API returns more. */
const SHOWN_ROWS = 7;

/** A list of the highest counts, with bars behind the text. Shares are relative to `total`. */
export function Ranks(props: { title: string; rows: readonly Rank[]; total: number; none: string }): JSX.Element {
  const { title, rows, total, none } = props;
  const [isOpen, setOpen] = useState(false);
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const hasMore = rows.length > SHOWN_ROWS;
  return (
    <Card
      title={title}
      actions={
        hasMore && (
          <button type="button" class="button quiet small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Less" : "All"}
            <span class="visually-hidden"> {title.toLowerCase()}</span>
          </button>
        )
      }
    >
      {rows.length === 0 ? (
        <p class="card-body muted small">{none}</p>
      ) : (
        <table class="ranks" aria-label={title}>
          <tbody>
            {(isOpen ? rows : rows.slice(0, SHOWN_ROWS)).map(({ name, count }) => (
              <tr key={name}>
                <th scope="row">
                  <span class="rank">
                    <span class="rank-bar" style={{ width: `${(100 * count) / most}%` }} />
                    <span class="cut" title={name}>
                      {name}
                    </span>
                  </span>
                </th>
                <td class="num">{formatNumber(count)}</td>
                <td class="num faint">{formatShare(count, total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

/** `29 %`, and `8.8 %` for shares below a tenth. */
function formatShare(count: number, total: number): string {
  const percent = total > 0 ? (100 * count) / total : 0;
  return `${percent.toFixed(percent < 9.95 ? 1 : 0).replace(/\.0$/, "")} %`;
}
