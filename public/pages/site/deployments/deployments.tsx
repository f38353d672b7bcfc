import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { usePages } from "../../../api/pages.ts";
import { useResource } from "../../../api/resource.ts";
import { together } from "../../../api/together.ts";
import type { Deployment, Site } from "../../../api/types.ts";
import { formatNumber } from "../../../format.ts";
import { useArrivals } from "../../../parts/arrivals.tsx";
import { EmptyFace, Loaded } from "../../../parts/basics.tsx";
import { Problem } from "../../../parts/dialog.tsx";
import { Segments } from "../../../parts/field.tsx";
import { Icon, type IconName } from "../../../parts/icons.tsx";
import { ScrollRow } from "../../../parts/scroll-row.tsx";
import { type Column, Heads, shownOf } from "../../../parts/table.tsx";
import { replacePath } from "../../../router.ts";
import type { DeploymentAction } from "./actions.tsx";
import { DetailsDialog } from "./details-dialog.tsx";
import { useDialogs } from "./dialogs.tsx";
import {
  countNote,
  type DeploymentRow,
  type Filter,
  groupsOf,
  hasAlias,
  isShown,
  NO_FILTER,
  rowsOf,
} from "./groups.ts";
import { numberIn, PAGE, pagePath, useAliases, useDeployment, useRetention } from "./resources.ts";
import { columnsOf, GroupRow, Row } from "./table.tsx";
import { TableSkeleton } from "./table-skeleton.tsx";

interface Props {
  readonly site: Site;
  /** The hosts that show the active deployment, the main one first. */
  readonly hosts: readonly string[];
}

export function DeploymentsTab({ site, hosts }: Props): JSX.Element {
  const deployments = useResource<Deployment[]>(pagePath(site.name));
  const whole = together(deployments, useAliases(site.name), useRetention(site.name));
  const shown = numberIn(location.search);
  return (
    <>
      <Loaded resource={whole} what="the deployments" skeleton={<TableSkeleton rows={6} />}>
        {(newest) => <History site={site} hosts={hosts} newest={newest} loads={deployments.loads} />}
      </Loaded>
      {shown !== null && (
        <DetailsDialog site={site.name} number={shown} onClose={() => replacePath(location.pathname)} />
      )}
    </>
  );
}

function History(props: Props & { newest: readonly Deployment[]; loads: number }): JSX.Element {
  const { site } = props;
  const pages = usePages(pagePath(site.name), props, PAGE, (row) => row.deployment_number);
  const { rows: loaded, problem, showMore } = pages;
  const [filter, setFilter] = useState(NO_FILTER);
  const aliases = useAliases(site.name).data ?? [];
  const pinned = useRetention(site.name).data?.pinned ?? [];
  const rows = rowsOf(loaded, aliases, pinned);
  const shown = rows.filter((row) => isShown(row, filter));
  const { act, dialog } = useDialogs(site, props.hosts);
  if (loaded.length === 0) return <NoDeployment />;
  return (
    <>
      <Filters rows={rows} filter={filter} choose={setFilter} />
      <div class="card">
        <Table {...props} rows={shown} all={rows} isWhole={!showMore} filter={filter} act={act} />
        {shown.length === 0 && (
          <EmptyFace icon="search" title="No deployment matches">
            <p>Search for a message, a commit, a branch, an alias or a person, or show all of them.</p>
          </EmptyFace>
        )}
        {showMore && (
          <div class="card-foot">
            <span class="grow">The newest {formatNumber(loaded.length)}</span>
            <button type="button" class="button small" onClick={showMore}>
              Show older deployments
            </button>
          </div>
        )}
      </div>
      <Problem text={problem} />
      {dialog}
    </>
  );
}

function NoDeployment(): JSX.Element {
  return (
    <div class="card">
      <EmptyFace icon="upload" title="No deployments yet">
        <p>Drop a folder or a ZIP anywhere on this page.</p>
      </EmptyFace>
    </div>
  );
}

interface TableProps extends Props {
  readonly rows: readonly DeploymentRow[];
  readonly all: readonly DeploymentRow[];
  /** False if there are older ones that are not loaded. */
  readonly isWhole: boolean;
  readonly filter: Filter;
  readonly act: (action: DeploymentAction, row: DeploymentRow) => void;
}

function Table({ site, hosts, rows, all, isWhole, filter, act }: TableProps): JSX.Element {
  const { live, previews, earlier } = groupsOf(rows);
  const number = site.active_deployment;
  const isLiveOlder = number !== null && !all.some(({ deployment }) => deployment.active);
  const place = useRef<HTMLTableElement>(null);
  const arrived = useArrivals(all, numberOf, place);
  const columns = columnsOf({ site, act, short: false, hasAliases: all.some(hasAlias) });
  const span = shownOf(columns).length;
  const row = (one: DeploymentRow) => (
    <Row key={numberOf(one)} row={one} columns={columns} arrived={arrived.has(numberOf(one))} />
  );
  const group = (shape: "ring" | "hollow", title: string, members: readonly DeploymentRow[], end?: string) =>
    members.length > 0 && (
      <tbody>
        <GroupRow span={span} shape={shape} title={title} note={countNote(members.length, isWhole)} end={end} />
        {members.map(row)}
      </tbody>
    );
  return (
    <table class="table deps as-list" ref={place} aria-label={`Deployments of ${site.name}, newest first`}>
      <thead>
        <tr>
          <Heads columns={columns} />
        </tr>
      </thead>
      {(live.length > 0 || (isLiveOlder && filter === NO_FILTER)) && (
        <tbody>
          {site.frozen ? (
            <GroupRow span={span} shape="snowflake" title="Not served while frozen" note="" />
          ) : (
            <GroupRow span={span} shape="halo" title="Live" note={answersAt(hosts)} />
          )}
          {live.map(row)}
          {isLiveOlder && <OlderLive site={site.name} number={number} columns={columns} />}
        </tbody>
      )}
      {group("ring", "Previews", previews, number === null ? undefined : `Changes compared with live, #${number}`)}
      {group("hollow", "Earlier", earlier, "Changes compared with the one before")}
    </table>
  );
}

function numberOf({ deployment }: DeploymentRow): number {
  return deployment.deployment_number;
}

function answersAt([first, ...others]: readonly string[]): string {
  if (first === undefined) return "";
  return `answers at ${first}${others.length > 0 ? ` and ${others.length} more` : ""}`;
}

/** The live deployment, if it is older than all loaded ones. */
function OlderLive(props: {
  site: string;
  number: number;
  columns: readonly Column<DeploymentRow>[];
}): JSX.Element | null {
  const { site, number, columns } = props;
  const [deployment] = useDeployment(site, number).data ?? [];
  const aliases = useAliases(site).data ?? [];
  const pinned = useRetention(site).data?.pinned ?? [];
  if (deployment?.deployment_number !== number) return null;
  const [row] = rowsOf([deployment], aliases, pinned);
  return row ? <Row row={row} columns={columns} /> : null;
}

const SHOWN: readonly (readonly [Filter["show"], string])[] = [
  ["all", "All"],
  ["published", "Published"],
  ["previews", "Previews"],
];

function Filters(props: {
  rows: readonly DeploymentRow[];
  filter: Filter;
  choose: (filter: Filter) => void;
}): JSX.Element {
  const { rows, filter } = props;
  // An empty filter is always the same object, which the table relies on.
  const choose = (change: Partial<Filter>) => {
    const next = { ...filter, ...change };
    props.choose(JSON.stringify(next) === JSON.stringify(NO_FILTER) ? NO_FILTER : next);
  };
  const chip = (name: "withWarnings" | "pinned", icon: IconName, words: string) => {
    const found = rows.filter((row) => isShown(row, { ...NO_FILTER, [name]: true })).length;
    if (found === 0 && !filter[name]) return null;
    return (
      <button type="button" class="chip" aria-pressed={filter[name]} onClick={() => choose({ [name]: !filter[name] })}>
        <Icon name={icon} /> {words} <span class="faint">{found}</span>
      </button>
    );
  };
  return (
    <div class="filters">
      <Segments label="Show" options={SHOWN} value={filter.show} choose={(show) => choose({ show })} />
      <label class="with-icon">
        <Icon name="search" />
        <span class="visually-hidden">Search deployments</span>
        <input
          class="input"
          type="search"
          data-search
          placeholder="Search message, commit or alias"
          value={filter.text}
          onInput={(event) => choose({ text: event.currentTarget.value })}
        />
      </label>
      <ScrollRow class="chips">
        {chip("withWarnings", "warning", "With warnings")}
        {chip("pinned", "pin", "Pinned")}
      </ScrollRow>
    </div>
  );
}
