import type { JSX } from "preact";
import { Figures, Pending } from "../../parts/card.tsx";

const FIGURES = ["Sites", "Views, 30 days", "Storage", "Deployments, 30 days", "Needs attention"];
const ROWS = 8;

/** The layout of the list while it is loading, so that nothing moves when it is loaded. */
export function SitesSkeleton(): JSX.Element {
  return (
    <div class="late loading-page" aria-hidden="true">
      <Figures figures={FIGURES.map((name) => ({ name, value: <Pending /> }))} />
      <div class="filters">
        <span class="with-icon">
          <span class="input" />
        </span>
      </div>
      <div class="card">
        <table class="table sites as-list">
          <thead>
            <tr>
              <td>&nbsp;</td>
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: ROWS }, (_, row) => (
              <tr key={row}>
                <td class="c-site">
                  <div class="site-cell">
                    <span class="tile" />
                    <span class="bones">
                      <span class={`bone w${row % 3}`} />
                      <span class="bone w3" />
                    </span>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
