import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isMember, may } from "../../../src/domain/model/role.ts";
import { Icon } from "../../parts/icons.tsx";
import { memo } from "../../parts/memo.ts";
import { Menu, MenuItem, MenuLine, MenuLink } from "../../parts/menu.tsx";
import { Cells } from "../../parts/table.tsx";
import { sitePath } from "../../router.ts";
import { COLUMNS } from "./columns.tsx";
import type { SiteRow } from "./rows.ts";
import { isSelectable } from "./selection.ts";

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
  const { name } = row;
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
        {isSelectable(row) && (
          <input
            type="checkbox"
            class="check shy"
            aria-label={`Select ${name}`}
            checked={selected}
            onChange={() => select([name], !selected)}
          />
        )}
      </td>
      <Cells columns={COLUMNS} row={row} />
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

function Actions({ row, actions, near }: { row: SiteRow; actions: RowActions; near: boolean }): JSX.Element {
  const { name, url, role } = row;
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
            {isMember(role) && (
              <>
                <MenuLine />
                <MenuItem icon="upload" disabled={row.frozen} onClick={() => actions.deploy(row)}>
                  Deploy…
                </MenuItem>
                {may(role, "change_tags") && (
                  <MenuItem icon="tag" disabled={row.frozen} end={<kbd>T</kbd>} onClick={() => actions.editTags(row)}>
                    Edit tags…
                  </MenuItem>
                )}
                <MenuLink href={sitePath(name, "settings")} icon="settings">
                  Settings
                </MenuLink>
              </>
            )}
            {may(role, "delete") && (
              <>
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
  const { name, url, role } = row;
  if (url === undefined) return null;
  return (
    <span class="later wide-only" aria-hidden="true">
      {may(role, "change_tags") && !row.frozen && (
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
