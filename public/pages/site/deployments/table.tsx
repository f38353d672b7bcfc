import type { ComponentChildren, JSX } from "preact";
import type { Site } from "../../../api/types.ts";
import { count, formatBytes } from "../../../format.ts";
import { Ago } from "../../../parts/basics.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { FrozenBadge } from "../../../parts/status.tsx";
import { Cells, type Column } from "../../../parts/table.tsx";
import { type DeploymentAction, RowActions } from "./actions.tsx";
import { Changes } from "./diff.tsx";
import { Actor, AliasLink, Expires, OriginLine } from "./facts.tsx";
import type { DeploymentRow } from "./groups.ts";
import { detailsPath } from "./resources.ts";
import { headingOf } from "./words.ts";

interface Context {
  readonly site: Site;
  readonly act: (action: DeploymentAction, row: DeploymentRow) => void;
  /** True for a table without alias and size, as in the overview, whose rows lead to the deployment's tab. */
  readonly short: boolean;
  /** False if no row has an alias or an expiry. */
  readonly hasAliases: boolean;
}

export function columnsOf({ site, act, short, hasAliases }: Context): readonly Column<DeploymentRow>[] {
  return [
    {
      key: "number",
      head: "Number",
      class: "d-num",
      cell: (row) => <NumberLink site={site} row={row} show={short ? null : () => act("details", row)} />,
    },
    {
      key: "message",
      head: "Message",
      class: "d-what",
      cell: (row) => <Message row={row} short={short} isFrozen={site.frozen !== undefined} />,
    },
    {
      key: "alias",
      head: "Alias",
      class: "d-alias",
      cell: (row) => <AliasCell site={site.name} row={row} />,
      hidden: short || !hasAliases,
    },
    { key: "changes", head: "Changes", class: "d-diff", cell: ({ deployment }) => <Changes deployment={deployment} /> },
    {
      key: "size",
      head: "Size",
      class: "d-size num muted",
      cell: ({ deployment }) => formatBytes(deployment.size_bytes),
      hidden: short,
    },
    { key: "who", head: "Deployed by", class: "d-who", cell: (row) => <Who row={row} /> },
    { key: "actions", head: "", class: "d-more", cell: (row) => <RowActions site={site} row={row} act={act} /> },
  ];
}

export function GroupRow(props: {
  /** The number of columns that it spans. */
  span: number;
  shape: "halo" | "ring" | "hollow" | "snowflake";
  title: string;
  note: ComponentChildren;
  end?: ComponentChildren;
}): JSX.Element {
  return (
    <tr class="group">
      <th scope="rowgroup" colSpan={props.span}>
        <span class="line">
          <GroupShape shape={props.shape} />
          {props.title} <span class="count">{props.note}</span>
          <span class="grow" />
          {props.end !== undefined && <span class="faint wide-only">{props.end}</span>}
        </span>
      </th>
    </tr>
  );
}

/** A deployment. `arrived` is true if somebody else added it just now. */
export function Row(props: {
  row: DeploymentRow;
  columns: readonly Column<DeploymentRow>[];
  arrived?: boolean;
}): JSX.Element {
  const { row, columns, arrived = false } = props;
  return (
    <tr class={`${row.deployment.active ? "is-live" : ""} ${arrived ? "arrived" : ""}`}>
      <Cells columns={columns} row={row} />
    </tr>
  );
}

// --- internal ---

function GroupShape({ shape }: { shape: Parameters<typeof GroupRow>[0]["shape"] }): JSX.Element {
  if (shape !== "snowflake") return <span class={`dot ${shape}`} aria-hidden="true" />;
  return (
    <span class="cold">
      <Icon name="snowflake" />
    </span>
  );
}

/** Leads to the details, which `show` opens in place. */
function NumberLink(props: { site: Site; row: DeploymentRow; show: (() => void) | null }): JSX.Element {
  const { deployment_number: number } = props.row.deployment;
  const click = (event: MouseEvent) => {
    if (props.show === null || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    props.show();
  };
  return (
    <a class="row-link" href={detailsPath(props.site.name, number)} onClick={click}>
      #{number}
    </a>
  );
}

function Message(props: { row: DeploymentRow; short: boolean; isFrozen: boolean }): JSX.Element {
  const { row, short, isFrozen } = props;
  return (
    <>
      <span class="d-title">
        <span class="cut">{headingOf(row.deployment)}</span>
        {short && row.deployment.active && <LiveBadge isFrozen={isFrozen} />}
        <Badges row={row} hasWarnings={!(short && row.deployment.active)} />
      </span>
      <span class="d-ref">
        <OriginLine deployment={row.deployment} />
      </span>
    </>
  );
}

/** What visitors would get is not live while the site is frozen. */
function LiveBadge({ isFrozen }: { isFrozen: boolean }): JSX.Element {
  if (isFrozen) return <FrozenBadge />;
  return (
    <span class="badge good">
      <span class="dot" aria-hidden="true" /> Live
    </span>
  );
}

/** Nothing for a row without an alias and without an expiry: then its message takes the place. */
function AliasCell({ site, row: { deployment, aliases } }: { site: string; row: DeploymentRow }): JSX.Element {
  const [alias] = aliases;
  const expiresAt = aliases.length < 2 ? (alias?.expires_at ?? deployment.expires_at) : null;
  return (
    <>
      {alias && <AliasLink alias={alias} site={site} />}
      {aliases.length > 1 && (
        <span class="cut tiny faint">and {count(aliases.length - 1, "more alias", "more aliases")}</span>
      )}
      {expiresAt && (
        <span class="cut">
          <Expires at={expiresAt} />
        </span>
      )}
    </>
  );
}

function Who({ row: { deployment } }: { row: DeploymentRow }): JSX.Element {
  return (
    <div class="who">
      <Actor deployment={deployment} />
      <span class="faint nowrap">
        <Ago at={deployment.created_at} />
      </span>
    </div>
  );
}

/** The card of the live deployment has its warnings in the overview. */
function Badges(props: { row: DeploymentRow; hasWarnings: boolean }): JSX.Element {
  const { deployment, isPinned } = props.row;
  const warnings = props.hasWarnings ? deployment.warnings.length : 0;
  return (
    <>
      {warnings > 0 && (
        <span class="badge warn">
          <Icon name="warning" /> {count(warnings, "warning")}
        </span>
      )}
      {isPinned && (
        <span class="badge">
          <Icon name="pin" /> Pinned
        </span>
      )}
    </>
  );
}
