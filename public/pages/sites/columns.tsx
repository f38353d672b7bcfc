import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatBytes, formatNumber, initialOf } from "../../format.ts";
import { Ago } from "../../parts/basics.tsx";
import { ROLE_NAMES } from "../../parts/role-names.ts";
import { SPARK_HEIGHT, SPARK_WIDTH, sparkLine } from "../../parts/spark.ts";
import { Avatar, Shape, Status } from "../../parts/status.tsx";
import type { Column } from "../../parts/table.tsx";
import { sitePath } from "../../router.ts";
import { byName, type SiteRow, STATUSES } from "./rows.ts";

/** The columns of the list of sites. Their widths, and which of them a narrow window shows, are in sites.css. */
export const COLUMNS: readonly Column<SiteRow>[] = [
  {
    key: "name",
    head: "Site",
    class: "c-site",
    isName: true,
    cell: (row) => <SiteCell row={row} />,
    compare: byName,
  },
  {
    key: "status",
    head: "Status",
    class: "c-state",
    cell: ({ status: { shape, tone, text } }) => (
      <Status shape={shape} tone={tone}>
        {text}
      </Status>
    ),
    compare: byNumber(({ status }) => STATUS_ORDER.indexOf(status)),
  },
  { key: "trend", head: "Trend", class: "c-spark", cell: (row) => <Spark row={row} /> },
  {
    key: "views",
    head: "Views, 30 days",
    class: "c-views num",
    cell: ({ views }) => views !== null && <span class={views === 0 ? "no-figure" : ""}>{formatNumber(views)}</span>,
    compare: byNumber(({ views }) => views),
    descendingFirst: true,
  },
  {
    key: "size",
    head: "Size",
    class: "c-size num muted",
    cell: ({ size }) => size !== null && formatBytes(size),
    compare: byNumber(({ size }) => size),
    descendingFirst: true,
  },
  {
    key: "deployed",
    head: "Last deployment",
    class: "c-last",
    cell: (row) => <LastDeployment row={row} />,
    compare: byDeployment,
    descendingFirst: true,
  },
];

// --- internal ---

function SiteCell({ row }: { row: SiteRow }): JSX.Element {
  const { name, url, hosts, tags, status, role } = row;
  const link =
    row.sharedBy === null
      ? { href: sitePath(name) }
      : { href: url ?? "", target: "_blank", rel: "noopener", title: "Opens the site" };
  const [host, ...others] = hosts;
  return (
    <div class="site-cell">
      <Tile name={name} icon={row.icon} />
      <div class="grow">
        <div class="site-line">
          <a class="row-link cut" {...link}>
            {name}
          </a>
          {role !== "owner" && <span class="badge wide-only">{ROLE_NAMES[role]}</span>}
          {tags.slice(0, 3).map((tag) => (
            <span key={tag} class="tag wide-only">
              {tag}
            </span>
          ))}
          {status !== STATUSES.live && (
            <span class={`phone-only status ${status.tone ?? ""}`}>
              <Shape shape={status.shape} />
              <span class="visually-hidden">{status.text}</span>
            </span>
          )}
        </div>
        <span class="site-host cut">
          {role !== "owner" && <span class="phone-only">{ROLE_NAMES[role]} · </span>}
          {host ?? "\u00a0"}
          {others.length > 0 && <span class="faint"> and {others.length} more</span>}
        </span>
      </div>
    </div>
  );
}

/** Milliseconds until a row loads its icon, the most expensive part of a row. Rows that are scrolled past load none. */
const ICON_AFTER_MS = 150;

/** The site's own icon. Shows the initial while it is loading, if there is none, and if it fails to load. */
function Tile({ name, icon }: { name: string; icon: string | null }): JSX.Element {
  const [failed, setFailed] = useState(false);
  const [stayed, setStayed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setStayed(true), ICON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <span class="tile" aria-hidden="true">
      {icon === null || failed || !stayed ? (
        initialOf(name)
      ) : (
        <img
          src={icon}
          alt=""
          width="28"
          height="28"
          loading="lazy"
          decoding="async"
          referrerpolicy="no-referrer"
          onError={() => setFailed(true)}
        />
      )}
    </span>
  );
}

function Spark({ row: { dailyViews, views } }: { row: SiteRow }): JSX.Element | null {
  if (dailyViews === null) return null;
  if (views === 0) return <span class="no-figure">No views</span>;
  const line = sparkLine(dailyViews);
  return (
    <svg class="spark" viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={`${line}V${SPARK_HEIGHT}H0Z`} />
      <path class="path" d={line} />
    </svg>
  );
}

function LastDeployment({ row }: { row: SiteRow }): JSX.Element {
  const { deployedAt, deployedBy, sharedBy } = row;
  if (sharedBy !== null) {
    return (
      <div class="who">
        <Avatar name={sharedBy} />
        <span class="cut muted">shared by {sharedBy}</span>
      </div>
    );
  }
  // The person comes first, because the time would move.
  if (deployedBy === undefined) return <span class="bone w3" aria-hidden="true" />;
  const machine = deployedBy?.source === "deployment_token" ? "branch" : undefined;
  return (
    <div class="who">
      {deployedBy && <Avatar name={deployedBy.actor} machine={machine} />}
      <span class="cut">
        {deployedBy && <span class="who-name">{deployedBy.actor} </span>}
        <span class="faint">{deployedAt && <Ago at={deployedAt} />}</span>
      </span>
    </div>
  );
}

/** The order of statuses, starting with those that need action. */
const STATUS_ORDER: readonly SiteRow["status"][] = Object.values(STATUSES);

/** Absent values are the smallest. */
function byNumber(of: (row: SiteRow) => number | null) {
  return (one: SiteRow, other: SiteRow) => (of(one) ?? -1) - (of(other) ?? -1);
}

function byDeployment({ deployedAt: one }: SiteRow, { deployedAt: other }: SiteRow): number {
  if (one === other) return 0;
  return (one ?? "") < (other ?? "") ? -1 : 1;
}
