import type { JSX } from "preact";
import { useResource } from "../../api/resource.ts";
import type { Limits, SiteFigures } from "../../api/types.ts";
import { formatBytes, formatFigure, formatNumber } from "../../format.ts";
import { type Figure, Figures, Pending } from "../../parts/card.tsx";
import { changeOf, countsOf, type SiteRow } from "./rows.ts";

/** The totals of all sites in one strip. It reserves space for figures that are not loaded. */
export function Summary(props: {
  rows: readonly SiteRow[];
  figures: readonly SiteFigures[] | undefined;
  showAttention: () => void;
}): JSX.Element {
  const { rows, figures } = props;
  const limits = useResource<Limits>("/capabilities/limits");
  const counts = countsOf(rows);
  const own = limits.data?.own;
  const all: Figure[] = [
    {
      name: "Sites",
      value: formatNumber(rows.length),
      ...(counts.shared > 0 ? { side: `${rows.length - counts.shared} own, ${counts.shared} shared` } : {}),
    },
    views(figures),
    {
      name: "Storage",
      value: own ? formatBytes(own.bytes.used) : <Pending />,
      ...(own?.bytes.limit != null ? { side: `of ${formatBytes(own.bytes.limit)}` } : {}),
    },
    {
      name: "Deployments, 30 days",
      value: figures ? formatNumber(total(figures, ({ deployments }) => deployments)) : <Pending />,
    },
    {
      name: "Needs attention",
      value: figures ? formatNumber(counts.attention) : <Pending />,
      ...(counts.attention > 0
        ? {
            side: (
              <button type="button" class="text-button" onClick={props.showAttention}>
                Show
              </button>
            ),
          }
        : {}),
    },
  ];
  return <Figures figures={all} />;
}

function views(figures: readonly SiteFigures[] | undefined): Figure {
  const name = "Views, 30 days";
  if (!figures) return { name, value: <Pending /> };
  const now = total(figures, ({ daily_views }) => daily_views.reduce((sum, views) => sum + views, 0));
  const change = changeOf(
    now,
    total(figures, ({ views_before }) => views_before),
  );
  if (change === null) return { name, value: formatFigure(now) };
  const side = (
    <span class={change.startsWith("−") ? undefined : "good"} title="against the 30 days before">
      {change}
    </span>
  );
  return { name, value: formatFigure(now), side };
}

function total(figures: readonly SiteFigures[], of: (site: SiteFigures) => number): number {
  return figures.reduce((sum, site) => sum + of(site), 0);
}
