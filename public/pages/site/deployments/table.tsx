import type { ComponentChildren, JSX } from "preact";
import type { Site } from "../../../api/types.ts";
import { count, formatBytes } from "../../../format.ts";
import { Ago } from "../../../parts/basics.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { TableHead } from "../../../parts/table.tsx";
import { type DeploymentAction, RowActions } from "./actions.tsx";
import { Changes } from "./diff.tsx";
import { Actor, AliasLink, Expires, OriginLine } from "./facts.tsx";
import type { DeploymentRow } from "./groups.ts";
import { detailsPath } from "./resources.ts";
import { titleOf } from "./words.ts";

const COLUMNS = [
  ["Number", "d-num"],
  ["Message", "d-what"],
  ["Alias", "d-alias"],
  ["Changes", "d-diff"],
  ["Size", "d-size num"],
  ["Deployed by", "d-who"],
] as const;
const SHORT_COLUMNS = COLUMNS.filter(([name]) => name !== "Alias" && name !== "Size");

/** The columns. A short table, as in the overview, has neither alias nor size. */
export function Head({ short = false }: { short?: boolean }): JSX.Element {
  return (
    <thead class={short ? "visually-hidden-head" : undefined}>
      <TableHead columns={short ? SHORT_COLUMNS : COLUMNS} actions="d-more" />
    </thead>
  );
}

/** The heading of a group. */
export function GroupRow(props: {
  shape: "halo" | "ring" | "hollow";
  title: string;
  note: ComponentChildren;
  end?: ComponentChildren;
}): JSX.Element {
  return (
    <tr class="group">
      <th scope="rowgroup" colSpan={7}>
        <span class="line">
          <span class={`dot ${props.shape}`} aria-hidden="true" />
          {props.title} <span class="count">{props.note}</span>
          <span class="grow" />
          {props.end !== undefined && <span class="faint wide-only">{props.end}</span>}
        </span>
      </th>
    </tr>
  );
}

interface Props {
  readonly site: Site;
  readonly row: DeploymentRow;
  readonly act: (action: DeploymentAction, row: DeploymentRow) => void;
  readonly short?: boolean;
  /** True if somebody else added it just now. */
  readonly arrived?: boolean;
}

export function Row({ site, row, act, short = false, arrived = false }: Props): JSX.Element {
  const { deployment, aliases } = row;
  const { deployment_number: number } = deployment;
  const details = detailsPath(site.name, number);
  const click = (event: MouseEvent) => {
    if (short || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    act("details", row);
  };
  return (
    <tr class={`${deployment.active ? "is-live" : ""} ${arrived ? "arrived" : ""}`}>
      <td class="d-num">
        <a class="row-link" href={details} onClick={click}>
          #{number}
        </a>
      </td>
      <td class="d-what">
        <span class="d-title">
          <Title row={row} />
          {short && deployment.active && (
            <span class="badge good">
              <span class="dot" aria-hidden="true" /> Live
            </span>
          )}
          <Badges row={row} />
        </span>
        <span class="d-ref">
          <OriginLine deployment={deployment} />
        </span>
      </td>
      {!short && (
        <td class="d-alias">
          {aliases.slice(0, 1).map((alias) => (
            <AliasLink key={alias.name} alias={alias} site={site.name} />
          ))}
          {aliases.length > 1 && (
            <span class="cut tiny faint">and {count(aliases.length - 1, "more alias", "more aliases")}</span>
          )}
          {aliases.length < 2 && <Expires at={aliases[0]?.expires_at ?? deployment.expires_at} />}
        </td>
      )}
      <td class="d-diff">
        <Changes deployment={deployment} />
      </td>
      {!short && <td class="d-size num muted">{formatBytes(deployment.size_bytes)}</td>}
      <td class="d-who">
        <div class="who">
          <Actor deployment={deployment} />
          <span class="faint nowrap">
            <Ago at={deployment.created_at} />
          </span>
        </div>
      </td>
      <td class="d-more">
        <RowActions site={site} row={row} act={act} />
      </td>
    </tr>
  );
}

function Title({ row: { deployment } }: { row: DeploymentRow }): JSX.Element {
  const title = titleOf(deployment);
  return title === null ? <span class="cut faint">No message</span> : <span class="cut">{title}</span>;
}

function Badges({ row: { deployment, isPinned } }: { row: DeploymentRow }): JSX.Element {
  const warnings = deployment.warnings.length;
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
