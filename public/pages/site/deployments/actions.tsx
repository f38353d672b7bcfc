import type { JSX } from "preact";
import { may } from "../../../../src/domain/model/role.ts";
import { call } from "../../../api/client.ts";
import type { Site } from "../../../api/types.ts";
import { copyUrl } from "../../../parts/basics.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { Menu, MenuItem, MenuLine, MenuLink } from "../../../parts/menu.tsx";
import { announce, attempt } from "../../../parts/toasts.tsx";
import { navigate, settingsPath } from "../../../router.ts";
import type { DeploymentRow } from "./groups.ts";
import { filesPath, reportPath, useRetention } from "./resources.ts";
import { isRollBack } from "./words.ts";

/** Actions with a dialog about a deployment. */
export type DeploymentAction = "publish" | "aliases" | "details" | "delete";

interface Props {
  readonly site: Site;
  readonly row: DeploymentRow;
  readonly act: (action: DeploymentAction, row: DeploymentRow) => void;
}

/** The actions on a deployment: the usual ones while hovering, all of them in a menu. */
export function RowActions({ site, row, act }: Props): JSX.Element {
  const { deployment, aliases } = row;
  const { deployment_number: number } = deployment;
  const isBack = isRollBack(deployment, site.active_deployment);
  const isFrozen = site.frozen !== undefined;
  return (
    <div class="row-actions">
      <span class="later wide-only">
        {!deployment.active && (
          <button type="button" class="button small" aria-disabled={isFrozen} onClick={() => act("publish", row)}>
            <span>
              {isBack ? "Roll back" : "Publish"}
              <span class="visually-hidden">{isBack ? ` to deployment ${number}` : ` deployment ${number}`}</span>
              <span aria-hidden="true">…</span>
            </span>
          </button>
        )}
        <a class="button quiet small only above" href={deployment.url} target="_blank" rel="noopener">
          <Icon name="arrowUpRight" />
          <span class="visually-hidden">Visit deployment {number}</span>
        </a>
      </span>
      <Menu label={`Actions for #${number}`} class="button quiet small only" button={<Icon name="dots" />}>
        {!deployment.active && (
          <MenuItem icon={isBack ? "undo" : "upload"} disabled={isFrozen} onClick={() => act("publish", row)}>
            {isBack ? "Roll back to this…" : "Publish…"}
          </MenuItem>
        )}
        <MenuLink icon="arrowUpRight" href={deployment.url} away>
          Visit
        </MenuLink>
        <MenuItem icon="compare" onClick={() => act("details", row)}>
          Details and changes
        </MenuItem>
        <MenuLink icon="folder" href={filesPath(site.name, number)}>
          Files
        </MenuLink>
        <MenuLink icon="check" href={reportPath(site.name, number)}>
          Report
        </MenuLink>
        <MenuItem icon="link" onClick={() => copyUrl(aliases[0]?.url ?? deployment.url)}>
          Copy URL
        </MenuItem>
        <MenuLine />
        <MenuItem icon="tag" disabled={isFrozen} onClick={() => act("aliases", row)}>
          {aliases.length > 0 ? "Aliases…" : "Set alias…"}
        </MenuItem>
        {may(site.role, "manage_shares") && (
          <MenuItem
            icon="users"
            onClick={() => navigate(`${settingsPath(site.name, "shares")}?target=${targetOf(row)}`)}
          >
            Share…
          </MenuItem>
        )}
        {may(site.role, "manage_retention") && <PinItem site={site.name} number={number} pinned={row.isPinned} />}
        <MenuLink icon="download" href={`/sites/${site.name}/deployments/${number}/archive`} download>
          Download ZIP
        </MenuLink>
        {!deployment.active && may(site.role, "delete_deployment") && (
          <MenuItem icon="trash" risky onClick={() => act("delete", row)}>
            Delete…
          </MenuItem>
        )}
      </Menu>
    </div>
  );
}

function targetOf({ deployment, aliases }: DeploymentRow): string {
  const [alias] = aliases;
  return alias ? `alias:${alias.name}` : `deployment:${deployment.deployment_number}`;
}

function PinItem({ site, number, pinned }: { site: string; number: number; pinned: boolean }): JSX.Element {
  const retention = useRetention(site);
  const toggle = async () => {
    const done = await attempt(() => call(pinned ? "DELETE" : "POST", `/sites/${site}/deployments/${number}/pin`));
    if (!done) return;
    retention.set((now) => ({ ...now, pinned: withPin(now.pinned, number, !pinned) }));
    announce(pinned ? `Deployment ${number} is unpinned.` : `Deployment ${number} is pinned.`);
  };
  return (
    <MenuItem icon="pin" disabled={retention.data === undefined} onClick={toggle}>
      {pinned ? "Unpin" : "Pin"}
    </MenuItem>
  );
}

function withPin(pinned: readonly number[], number: number, isPinned: boolean): number[] {
  const others = pinned.filter((other) => other !== number);
  return isPinned ? [...others, number] : others;
}
