import type { JSX } from "preact";
import { useResource } from "../../../api/resource.ts";
import type { Analytics, DayFigures, Site } from "../../../api/types.ts";
import { formatBytes, formatFigure, formatNumber, formatTick } from "../../../format.ts";
import { Loaded } from "../../../parts/basics.tsx";
import { Card } from "../../../parts/card.tsx";
import { sitePath } from "../../../router.ts";
import { apiQueryOf } from "../range.ts";
import { percentWords, SHOWN_DAYS, scaleEnd, type Trend, trendOf } from "./traffic.ts";

/** Views of the last 30 days. */
export function TrafficCard({ site }: { site: Site }): JSX.Element {
  const query = apiQueryOf({ interval: "day", length: 2 * SHOWN_DAYS }, new Date());
  const analytics = useResource<Analytics>(`/sites/${site.name}/analytics?${query}`);
  const link = (
    <a class="button quiet small" href={sitePath(site.name, "analytics")}>
      View all<span class="visually-hidden"> of the traffic</span>
    </a>
  );
  return (
    <Card title="Traffic, 30 days" actions={link}>
      <Loaded resource={analytics} what="the traffic" skeleton={<Skeleton />}>
        {({ days }) => <Traffic days={days} />}
      </Loaded>
    </Card>
  );
}

function Traffic({ days }: { days: readonly DayFigures[] }): JSX.Element {
  const [views, visitors, bytes] = [trendOf(days, "views"), trendOf(days, "visitors"), trendOf(days, "bytes")];
  const shown = days.slice(-SHOWN_DAYS);
  return (
    <div class="traffic">
      <dl class="traffic-facts">
        <Fact name="Views" value={formatFigure(views.total)} trend={views} />
        <Fact name="Visitors" value={formatFigure(visitors.total)} trend={visitors} />
        <Fact name="Bandwidth" value={formatBytes(bytes.total)} trend={bytes} />
        <Fact name="Views today" value={formatFigure(shown.at(-1)?.views ?? 0)} />
      </dl>
      {views.total === 0 ? <p class="muted small traffic-place">No views yet.</p> : <Bars days={shown} />}
    </div>
  );
}

function Fact({ name, value, trend }: { name: string; value: string; trend?: Trend }): JSX.Element {
  const words = trend ? percentWords(trend) : null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value} {words !== null && <span class="tiny muted">{words}</span>}
      </dd>
    </div>
  );
}

const WIDTH = 1000;
const HEIGHT = 200;

function Bars({ days }: { days: readonly DayFigures[] }): JSX.Element {
  const end = scaleEnd(Math.max(...days.map(({ views }) => views)));
  const step = WIDTH / days.length;
  const total = days.reduce((sum, { views }) => sum + views, 0);
  const marks = [0, 1, 2, 3].map((quarter) => days[Math.floor((quarter * days.length) / 4)]?.day ?? "");
  return (
    <div class="plot">
      <div class="plot-y" aria-hidden="true">
        <span>{formatTick(end)}</span>
        <span>{formatTick(end / 2)}</span>
        <span>0</span>
      </div>
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Views by day, ${formatNumber(total)} in the last ${days.length} days`}
      >
        {[0, HEIGHT / 2, HEIGHT].map((y) => (
          <path key={y} class="grid" d={`M0 ${y}H${WIDTH}`} />
        ))}
        {days.map(({ day, views }, index) => (
          <rect
            key={day}
            class={index === days.length - 1 ? "bars now" : "bars"}
            x={(index + 0.16) * step}
            y={HEIGHT * (1 - views / end)}
            width={step * 0.68}
            height={(HEIGHT * views) / end}
          />
        ))}
      </svg>
      <div class="plot-x" aria-hidden="true">
        {marks.map((day) => (
          <span key={day}>{shortDay(day)}</span>
        ))}
        <span>Today</span>
      </div>
    </div>
  );
}

function Skeleton(): JSX.Element {
  return (
    <div class="traffic" aria-hidden="true">
      <dl class="traffic-facts">
        {["Views", "Visitors", "Bandwidth", "Views today"].map((name) => (
          <Fact key={name} name={name} value={"\u00a0"} />
        ))}
      </dl>
      <div class="traffic-place" />
    </div>
  );
}

const dayNames = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function shortDay(day: string): string {
  return day === "" ? "" : dayNames.format(new Date(`${day}T00:00:00Z`));
}
