import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useResource } from "../../api/resource.ts";
import type { Analytics, HostingCapability, Site } from "../../api/types.ts";
import { count, formatBytes, formatFigure, formatNumber } from "../../format.ts";
import { CopyButton, EmptyFace, Loaded } from "../../parts/basics.tsx";
import { Figures } from "../../parts/card.tsx";
import { Segments } from "../../parts/field.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Info } from "../../parts/info.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { replacePath } from "../../router.ts";
import { Chart } from "./chart.tsx";
import { nameOf, type Point, type Series, seriesOf } from "./chart-points.ts";
import { LostAssets } from "./lost-assets.tsx";
import { apiQueryOf, queryBefore, queryOf, RANGES, type Range, rangeOf, trendOf } from "./range.ts";
import { Ranks } from "./ranks.tsx";

export function AnalyticsTab({ site }: { site: Site }): JSX.Element {
  // In the URL, so that reloads, shared links and the back button show the same.
  const range = rangeOf(location.search);
  const now = new Date();
  const path = `/sites/${site.name}/analytics?${apiQueryOf(range, now)}`;
  const analytics = useResource<Analytics>(path);
  const { data } = analytics;
  return (
    <section class="section">
      <div class="head">
        <div class="grow line">
          <h2 class="analytics-title">Analytics</h2>
          <Counting />
        </div>
        {data && hasAnything(data) && (
          <a class="button" href={`${path}&format=csv`} download>
            <Icon name="download" /> CSV
          </a>
        )}
        <Ranges range={range} />
      </div>
      <Loaded resource={analytics} what="the analytics" skeleton={<Skeleton />}>
        {(data) =>
          data.total.views === 0 ? (
            <Nothing site={site} range={range} data={data} />
          ) : (
            <Report data={data} range={range} site={site} />
          )
        }
      </Loaded>
    </section>
  );
}

/** What docs/analytics.md says in full. */
function Counting(): JSX.Element {
  return (
    <Info label="What is counted">
      <dl>
        <dt>View</dt>
        <dd>A page of the live site that a browser got. Other files, error pages and previews are none.</dd>
        <dt>Visitor</dt>
        <dd>An IP address with one browser on one day. Neither is stored, and nobody is recognized the next day.</dd>
        <dt>Bot view</dt>
        <dd>
          A page that a program got: a bot that names itself, a command-line client such as curl, a library for HTTP, or
          one without a name. It counts nowhere else but in the bandwidth.
        </dd>
      </dl>
    </Info>
  );
}

function hasAnything({ total, not_found }: Analytics): boolean {
  return total.views > 0 || total.bytes > 0 || not_found.length > 0;
}

function Ranges({ range }: { range: Range }): JSX.Element {
  return (
    <Segments
      label="Period"
      options={RANGES.map((one) => [one, one.name])}
      value={range}
      choose={(chosen) => replacePath(queryOf(chosen))}
    />
  );
}

function Report({ data, range, site }: { data: Analytics; range: Range; site: Site }): JSX.Element {
  const series = useMemo(() => seriesOf(data), [data]);
  return (
    <>
      <section class="card" aria-label="Views">
        {range.interval === "day" ? <Compared data={data} range={range} site={site} /> : <Totals data={data} />}
        <ChartBox series={series} />
        <FigureTable series={series} />
      </section>
      <Lists data={data} />
      <LostAssets data={data} site={site} />
      <Note>
        {range.interval === "hour"
          ? "The lists are of whole days, from the day on which the 48 hours begin."
          : "Visitors of several days are the sum of each day’s."}
      </Note>
    </>
  );
}

function Note({ children }: { children: ComponentChildren }): JSX.Element {
  return <p class="small faint">Counted by the server, without cookies and without stored addresses. {children}</p>;
}

/** The totals of days, compared to the same number of days before. */
function Compared({ data, range, site }: { data: Analytics; range: Range; site: Site }): JSX.Element {
  const before = useResource<Analytics>(`/sites/${site.name}/analytics?${queryBefore(range, new Date())}`).data;
  return <Totals data={data} before={before} than={`the ${range.name} before`} />;
}

interface TotalsProps {
  readonly data: Analytics;
  readonly before?: Analytics | undefined;
  readonly than?: string;
}

function Totals({ data, before, than }: TotalsProps): JSX.Element {
  const { total } = data;
  const exact = (value: number) => <span title={formatNumber(value)}>{formatFigure(value)}</span>;
  const side = (figure: keyof Analytics["total"]) => {
    // Reserves its place until the comparison is loaded.
    const trend = (before && trendOf(total[figure], before.total[figure])) || "\u00a0";
    return than === undefined ? {} : { side: <span title={`Compared with ${than}`}>{trend}</span> };
  };
  return (
    <div class="lead-figures">
      <Figures
        figures={[
          { name: "Views", value: exact(total.views), ...side("views") },
          { name: "Visitors", value: exact(total.visitors), ...side("visitors") },
          { name: "Bandwidth", value: formatBytes(total.bytes), ...side("bytes") },
          { name: "Bot views (not counted)", value: exact(total.bot_views) },
        ]}
      />
    </div>
  );
}

/** The chart, and above it the figures of the bar under the pointer, otherwise of the last one. */
function ChartBox({ series }: { series: Series }): JSX.Element {
  const [shown, setShown] = useState<number | null>(null);
  const { interval, points } = series;
  const point = points[shown ?? points.length - 1] ?? points.at(-1);
  return (
    <div class="chart-box">
      <p class="line chart-head">
        {point && (
          <>
            <strong>{nameOf(series, point.at, Date.now())}</strong>
            <span class="key">{count(point.views, "view")}</span>
            <span class="key line-key">{count(point.visitors, "visitor")}</span>
            <span class="muted">{formatBytes(point.bytes)}</span>
          </>
        )}
        <span class="grow" />
        <span class="faint tiny wide-only">
          {interval === "hour" ? "Hours in UTC. This hour is not over." : "Days in UTC. Today is not over."}
        </span>
      </p>
      <Chart series={series} hover={setShown} />
    </div>
  );
}

function Lists({ data }: { data: Analytics }): JSX.Element {
  const { days, pages, referrers, not_found, countries } = data;
  const views = sum(days.map((day) => day.views));
  const missing = sum(not_found.map(({ requests }) => requests));
  const hosts = referrers.map(({ host, views }) => ({ name: host, count: views }));
  const places = countries?.map(({ country, views }) => ({ name: countryName(country), count: views }));
  return (
    <div class="ranks-grid">
      <Ranks
        title="Pages"
        rows={pages.map(({ path, views }) => ({ name: path, count: views }))}
        total={views}
        none="No pages yet."
      />
      <Ranks
        title="Referrers"
        rows={withRest("Direct or unknown", hosts, views)}
        total={views}
        none="No referrers yet."
      />
      <Ranks
        title="Not found"
        rows={not_found.map(({ path, requests }) => ({ name: path, count: requests }))}
        total={missing}
        none="Every requested path was found."
      />
      {places && (
        <Ranks title="Countries" rows={withRest("Unknown", places, views)} total={views} none="No countries yet." />
      )}
    </div>
  );
}

/** Adds the rest of the total that the rows do not contain, in its place. */
function withRest(name: string, rows: readonly { name: string; count: number }[], total: number) {
  const rest = total - sum(rows.map(({ count }) => count));
  return rest <= 0 ? rows : [...rows, { name, count: rest }].sort((one, other) => other.count - one.count);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const countries = new Intl.DisplayNames(["en"], { type: "region" });

function countryName(code: string): string {
  return countries.of(code) ?? code;
}

const FIGURES: readonly Column<Point>[] = [
  { key: "views", head: "Views", class: "num", cell: ({ views }) => formatNumber(views) },
  { key: "visitors", head: "Visitors", class: "num", cell: ({ visitors }) => formatNumber(visitors) },
  { key: "bytes", head: "Bandwidth", class: "num", cell: ({ bytes }) => formatBytes(bytes) },
];

function FigureTable({ series }: { series: Series }): JSX.Element {
  const { interval, points } = series;
  const now = Date.now();
  const time: Column<Point> = {
    key: "time",
    head: interval === "hour" ? "Hour" : "Day",
    isName: true,
    cell: ({ at }) => nameOf(series, at, now),
  };
  return (
    <details class="figure-details">
      <summary class="card-foot">Figures by {interval} as a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="figure-table" tabIndex={0} aria-label={`Figures by ${interval}`}>
        <Table
          label={`Figures by ${interval}`}
          class="compact"
          columns={[time, ...FIGURES]}
          rows={points.toReversed()}
          keyOf={({ at }) => at}
        />
      </section>
    </details>
  );
}

/** Shown for a site without views, instead of figures and a chart of zeros. */
function Nothing({ site, range, data }: { site: Site; range: Range; data: Analytics }): JSX.Element {
  const hosting = useResource<HostingCapability>("/capabilities/hosting", { fixed: true });
  const url = hosting.data?.site_url.replace("{site}", () => site.name);
  const { bot_views } = data.total;
  return (
    <>
      <div class="card">
        <EmptyFace icon="chart" title="No views yet">
          <p>
            Nobody opened {site.name} in the last {range.name}
            {bot_views > 0 && `, apart from ${count(bot_views, "view")} by bots`}. Views appear here within ten seconds,
            without cookies or scripts on your pages.
          </p>
          <div class="actions">
            {url && (
              <a class="button" href={url} target="_blank" rel="noopener">
                Visit {new URL(url).host} <Icon name="arrowUpRight" />
              </a>
            )}
            {url && <CopyButton text={url} label="the URL" />}
          </div>
        </EmptyFace>
      </div>
      {data.not_found.length > 0 && <Lists data={data} />}
      <LostAssets data={data} site={site} />
    </>
  );
}

/** Has the height of the content, to avoid layout shifts. */
function Skeleton(): JSX.Element {
  const bone = <span class="bone" style={{ width: "5rem" }} />;
  const names = ["Views", "Visitors", "Bandwidth", "Bot views (not counted)"];
  return (
    <div class="card" aria-hidden="true">
      <div class="lead-figures">
        <Figures figures={names.map((name) => ({ name, value: bone }))} />
      </div>
      <div class="chart-box">
        <p class="chart-head">&nbsp;</p>
        <div class="chart" />
      </div>
    </div>
  );
}
