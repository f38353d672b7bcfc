import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatBytes, formatNumber, initialOf } from "../../format.ts";
import { Ago } from "../../parts/basics.tsx";
import { Icon } from "../../parts/icons.tsx";
import { memo } from "../../parts/memo.ts";
import { Menu, MenuItem, MenuLine, MenuLink } from "../../parts/menu.tsx";
import { SPARK_HEIGHT, SPARK_WIDTH, sparkLine } from "../../parts/spark.ts";
import { Avatar, Shape, Status } from "../../parts/status.tsx";
import { sitePath } from "../../router.ts";
import { type SiteRow, STATUSES } from "./rows.ts";

export interface RowActions {
  readonly deploy: (row: SiteRow) => void;
  readonly editTags: (row: SiteRow) => void;
  readonly copyUrl: (row: SiteRow) => void;
  readonly remove: (row: SiteRow) => void;
}

interface Props {
  readonly row: SiteRow;
  /** Its index in the whole table, starting after the head, which is 1. */
  readonly index: number;
  readonly selected: boolean;
  /** True if somebody else has just added it. */
  readonly arrived: boolean;
  readonly select: (names: readonly string[], selected: boolean) => void;
  readonly actions: RowActions;
}

/** Drawn again only if its data have changed. */
export const Row = memo(function Row({ row, index, selected, arrived, select, actions }: Props): JSX.Element {
  const { name, status, size } = row;
  // Only the row with the pointer or the focus has all actions, so that a long list is drawn faster.
  const [near, setNear] = useState(false);
  const come = () => setNear(true);
  return (
    <tr
      data-row
      aria-rowindex={index}
      class={classOf(selected, arrived)}
      onMouseEnter={come}
      onFocusIn={come}
      onMouseLeave={() => setNear(false)}
    >
      <td class="c-check">
        {row.sharedBy === null && (
          <input
            type="checkbox"
            class="check shy"
            aria-label={`Select ${name}`}
            checked={selected}
            onChange={() => select([name], !selected)}
          />
        )}
      </td>
      <th scope="row" class="c-site">
        <SiteCell row={row} />
      </th>
      <td class="c-state">
        <Status shape={status.shape} tone={status.tone}>
          {status.text}
        </Status>
      </td>
      <td class="c-spark">
        <Spark row={row} />
      </td>
      <td class={row.views === 0 ? "c-views num no-figure" : "c-views num"}>
        {row.views === null ? "" : formatNumber(row.views)}
      </td>
      <td class="c-size num muted">{size === null ? "" : formatBytes(size)}</td>
      <td class="c-last">
        <LastDeployment row={row} />
      </td>
      <td class="c-more">
        <Actions row={row} actions={actions} near={near} />
      </td>
    </tr>
  );
});

function classOf(selected: boolean, arrived: boolean): string | undefined {
  if (selected) return "selected";
  return arrived ? "arrived" : undefined;
}

function SiteCell({ row }: { row: SiteRow }): JSX.Element {
  const { name, url, hosts, tags, status } = row;
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

function Actions({ row, actions, near }: { row: SiteRow; actions: RowActions; near: boolean }): JSX.Element {
  const { name, url } = row;
  const isOwn = row.sharedBy === null;
  return (
    <div class="row-actions">
      {near && <Later row={row} actions={actions} />}
      <Menu label={`Actions for ${name}`} class="button quiet small only" button={<Icon name="dots" />}>
        {() => (
          <>
            {url !== undefined && (
              <MenuLink href={url} icon="arrowUpRight" away>
                Visit
              </MenuLink>
            )}
            <MenuItem icon="link" onClick={() => actions.copyUrl(row)}>
              Copy URL
            </MenuItem>
            {isOwn && (
              <>
                <MenuLine />
                <MenuItem icon="upload" disabled={row.frozen} onClick={() => actions.deploy(row)}>
                  Deploy…
                </MenuItem>
                <MenuItem icon="tag" disabled={row.frozen} end={<kbd>T</kbd>} onClick={() => actions.editTags(row)}>
                  Edit tags…
                </MenuItem>
                <MenuLink href={sitePath(name, "settings")} icon="settings">
                  Settings
                </MenuLink>
                <MenuLine />
                <MenuItem icon="trash" risky onClick={() => actions.remove(row)}>
                  Delete…
                </MenuItem>
              </>
            )}
          </>
        )}
      </Menu>
    </div>
  );
}

/** Actions that appear with the pointer or the focus. Only the pointer can use them, because the menu has them too. */
function Later({ row, actions }: { row: SiteRow; actions: RowActions }): JSX.Element | null {
  const { name, url } = row;
  if (url === undefined) return null;
  return (
    <span class="later wide-only" aria-hidden="true">
      {row.sharedBy === null && !row.frozen && (
        <button
          type="button"
          class="button quiet small only"
          aria-label={`Edit the tags of ${name}`}
          data-tags
          tabIndex={-1}
          onClick={() => actions.editTags(row)}
        >
          <Icon name="tag" />
        </button>
      )}
      <a
        class="button quiet small only above"
        href={url}
        target="_blank"
        rel="noopener"
        aria-label={`Visit ${name}`}
        tabIndex={-1}
      >
        <Icon name="arrowUpRight" />
      </a>
    </span>
  );
}
