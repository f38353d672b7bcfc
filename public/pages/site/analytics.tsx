import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../api/resource.ts";
import type { Analytics, DayFigures, Site } from "../../api/types.ts";
import { count, formatBytes, formatFigure, formatNumber } from "../../format.ts";
import { EmptyFace, Loaded } from "../../parts/basics.tsx";
import { replaceQuery } from "../../router.ts";
import { Chart } from "./chart.tsx";
import { RANGES, rangeOf } from "./range.ts";

const DAY = 86_400_000;

export function AnalyticsTab({ site }: { site: Site }): JSX.Element {
  // In the URL, so that reloads, shared links and the back button show the same.
  const days = rangeOf(location.search);
  const to = new Date();
  const from = new Date(to.getTime() - (days - 1) * DAY);
  const query = `from=${dateOf(from)}&to=${dateOf(to)}`;
  const analytics = useResource<Analytics>(`/sites/${site.name}/analytics?${query}`);
  return (
    <section class="section">
      <div class="section-head">
        <h2 class="grow">Analytics</h2>
        <Ranges days={days} choose={(range) => replaceQuery(`?days=${range}`)} />
      </div>
      <Loaded resource={analytics} what="the analytics" skeleton={<Skeleton />}>
        {(data) => <Report data={data} />}
      </Loaded>
    </section>
  );
}

function Ranges({ days, choose }: { days: number; choose: (days: number) => void }): JSX.Element {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">Days shown</legend>
      {RANGES.map((range) => (
        <label key={range}>
          <input type="radio" name="range" checked={range === days} onChange={() => choose(range)} />
          <span>{range} days</span>
        </label>
      ))}
    </fieldset>
  );
}

function Report({ data }: { data: Analytics }): JSX.Element {
  const [shown, setShown] = useState<number | null>(null);
  const day = data.days[shown ?? data.days.length - 1];
  return (
    <>
      <dl class="totals">
        <CountTotal name="Views" value={data.total.views} />
        <CountTotal name="Visitors" value={data.total.visitors} />
        <Total name="Traffic" value={formatBytes(data.total.bytes)} />
        <CountTotal name="Bot views" value={data.total.bot_views} />
      </dl>
      <div class="card chart-card">
        {day && <DayLine day={day} />}
        <Chart days={data.days} hover={setShown} />
      </div>
      <div class="tops">
        <Top title="Pages" rows={data.pages.map(({ path, views }) => [path, views])} />
        <Top title="Referrers" rows={data.referrers.map(({ host, views }) => [host, views])} />
        <Top title="Not found" rows={data.not_found.map(({ path, requests }) => [path, requests])} />
      </div>
      <DayTable days={data.days} />
      <p class="muted small">
        Counted on the server, without cookies or stored addresses. Visitors are told apart within one day only:
        somebody who returns on another day counts again.
      </p>
    </>
  );
}

/** Has the height of the content, to avoid layout shifts. */
function Skeleton(): JSX.Element {
  return (
    <div class="section" aria-hidden="true">
      <div class="totals">
        {["Views", "Visitors", "Traffic", "Bot views"].map((name) => (
          <div class="card total" key={name}>
            <span>{name}</span>
            <strong class="number">&nbsp;</strong>
          </div>
        ))}
      </div>
      <div class="card chart-card" />
    </div>
  );
}

function CountTotal({ name, value }: { name: string; value: number }): JSX.Element {
  return <Total name={name} value={formatFigure(value)} exact={formatNumber(value)} />;
}

function Total({ name, value, exact = value }: { name: string; value: string; exact?: string }): JSX.Element {
  return (
    <div class="card total">
      <dt>{name}</dt>
      <dd class="number" title={exact}>
        {value}
      </dd>
    </div>
  );
}

/** The figures of the day under the pointer, otherwise of the last day. */
function DayLine({ day }: { day: DayFigures }): JSX.Element {
  return (
    <p class="day-line number">
      <strong>{longDay(day.day)}</strong>
      <span class="key views">{count(day.views, "view")}</span>
      <span class="key visitors">{count(day.visitors, "visitor")}</span>
      <span class="muted">{formatBytes(day.bytes)}</span>
    </p>
  );
}

/** Maximum rows; the API returns more. */
const SHOWN_ROWS = 8;

function Top({ title, rows }: { title: string; rows: readonly (readonly [string, number])[] }): JSX.Element {
  const most = rows[0]?.[1] ?? 1;
  return (
    <section class="card top-list">
      <h3>{title}</h3>
      {rows.length === 0 && <p class="muted small">No data yet.</p>}
      <ol>
        {rows.slice(0, SHOWN_ROWS).map(([name, value]) => (
          <li key={name}>
            <span class="bar" style={{ width: `${(100 * value) / most}%` }} />
            <span class="bar-name" title={name}>
              {name}
            </span>
            <span class="number">{formatNumber(value)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function DayTable({ days }: { days: readonly DayFigures[] }): JSX.Element {
  if (days.length === 0)
    return (
      <EmptyFace icon="chart" title="No visits yet">
        {null}
      </EmptyFace>
    );
  return (
    <details>
      <summary class="muted small">Daily figures</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="card table-card" tabIndex={0} aria-label="Daily figures">
        <table class="figure-table number">
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Views</th>
              <th scope="col">Visitors</th>
              <th scope="col">Traffic</th>
              <th scope="col">Bot views</th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.day}>
                <th scope="row">{longDay(day.day)}</th>
                <td>{formatNumber(day.views)}</td>
                <td>{formatNumber(day.visitors)}</td>
                <td>{formatBytes(day.bytes)}</td>
                <td>{formatNumber(day.bot_views)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

const dayNames = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

function longDay(day: string): string {
  return dayNames.format(new Date(`${day}T00:00:00Z`));
}

function dateOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
