import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { may } from "../../../src/domain/model/role.ts";
import { call, messageOf } from "../../api/client.ts";
import { refresh } from "../../api/resource.ts";
import { count } from "../../format.ts";
import { useAttempt } from "../../parts/action-button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Icon, type IconName } from "../../parts/icons.tsx";
import { Menu, MenuItem } from "../../parts/menu.tsx";
import { forgetSite } from "../../parts/of-site.ts";
import { useAccessPolicy } from "../../parts/policy.ts";
import { announce, complain } from "../../parts/toasts.tsx";
import type { SiteRow } from "./rows.ts";
import { namesOf, refusalWords, type Selection, selectionWords, successWords } from "./selection.ts";
import { withTags } from "./tags.ts";
import { TagsDialog } from "./tags-dialog.tsx";

type Requested = "tag" | "publish" | "delete";

/** The actions on the selected sites that are shown, above the page. */
export function BulkBar(props: { selection: Selection; clear: () => void }): JSX.Element {
  const { selection, clear } = props;
  const { rows } = selection;
  const [requested, setRequested] = useState<Requested | null>(null);
  const [busy, run] = useAttempt();
  useEscape(clear);
  const mayPublish = useAccessPolicy()?.mayMakePublic !== false;
  const open = rows.filter((row) => !row.private);
  const isIdle = !busy && rows.length > 0;
  return (
    <div class="bulk" role="toolbar" aria-label="Selected sites">
      <span class="bulk-count" role="status">
        {selectionWords(selection)}
      </span>
      <BulkButton icon="tag" ready={isIdle} press={() => setRequested("tag")}>
        Add tag
      </BulkButton>
      <AccessMenu
        protect={busy || open.length === 0 ? null : () => void run(() => setPrivate(open, true))}
        publish={busy || open.length === rows.length || !mayPublish ? null : () => setRequested("publish")}
      />
      {rows.every(({ role }) => may(role, "delete")) && (
        <BulkButton icon="trash" ready={isIdle} press={() => setRequested("delete")}>
          Delete…
        </BulkButton>
      )}
      <button type="button" class="button quiet small" onClick={clear}>
        Clear <kbd class="wide-only">Esc</kbd>
      </button>
      {requested && <BulkDialog requested={requested} rows={rows} clear={clear} onClose={() => setRequested(null)} />}
    </div>
  );
}

/** An action that changes none of the sites is null. */
function AccessMenu({ protect, publish }: Record<"protect" | "publish", (() => void) | null>): JSX.Element {
  const face = (
    <>
      <Icon name="lock" />
      <span class="wide-only">Change access</span>
    </>
  );
  return (
    <Menu label="Change access" class="button quiet small" button={face}>
      <MenuItem icon="lock" disabled={protect === null} onClick={() => protect?.()}>
        Make private
      </MenuItem>
      <MenuItem icon="globe" disabled={publish === null} onClick={() => publish?.()}>
        Make public…
      </MenuItem>
    </Menu>
  );
}

function BulkDialog(props: {
  requested: Requested;
  rows: readonly SiteRow[];
  clear: () => void;
  onClose: () => void;
}): JSX.Element {
  const { requested, rows, clear, onClose } = props;
  const sites = count(rows.length, "site");
  if (requested === "tag") {
    const save = (tags: readonly string[]) =>
      forEachSite(rows, {
        what: "tagged",
        change: (row) => call("PUT", `/sites/${row.name}/tags`, { tags: withTags(row.tags, tags) }),
      });
    return <TagsDialog title={`Add tags to ${sites}`} start={[]} action="Add tags" save={save} onClose={onClose} />;
  }
  if (requested === "publish") {
    const closed = rows.filter((row) => row.private);
    const title = `Make ${count(closed.length, "site")} public?`;
    return (
      <Confirm title={title} action="Make public" onConfirm={() => setPrivate(closed, false)} onClose={onClose}>
        <p>
          Anyone can then open <strong>{namesOf(closed)}</strong>. Search engines can list them.
        </p>
      </Confirm>
    );
  }
  const remove = async () => {
    await forEachSite(rows, {
      what: "deleted",
      change: async ({ name }) => {
        await call("DELETE", `/sites/${name}`);
        forgetSite(name);
      },
    });
    clear();
  };
  const action = `Delete ${sites}`;
  return (
    <Confirm title={`${action}?`} action={action} phrase={`delete ${sites}`} onConfirm={remove} onClose={onClose}>
      <p>
        <strong>{namesOf(rows)}</strong> will be gone, with all deployments, tokens and readers. This cannot be undone.
      </p>
    </Confirm>
  );
}

/**
 * Escape clears the selection, unless it closes a dialog or a menu. It works from the moment that the bar is shown: an
 * effect after painting would miss a key that is pressed at once.
 */
function useEscape(clear: () => void): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTaken = event.defaultPrevented || document.querySelector("dialog[open], .menu:popover-open") !== null;
      if (event.key === "Escape" && !isTaken) clear();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  });
}

function BulkButton(props: {
  icon: IconName;
  ready: boolean;
  press: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <button type="button" class="button quiet small" aria-disabled={!props.ready} onClick={props.press}>
      <Icon name={props.icon} />
      {props.children}
    </button>
  );
}

/** Makes the sites private or public. Undo makes those that were changed what they were. */
function setPrivate(rows: readonly SiteRow[], makePrivate: boolean): Promise<void> {
  return forEachSite(rows, {
    what: makePrivate ? "made private" : "made public",
    change: ({ name }) => call(makePrivate ? "PUT" : "DELETE", `/sites/${name}/access`),
    undo: (changed) => setPrivate(changed, !makePrivate),
  });
}

interface Change {
  /** What is done, such as `tagged`. */
  readonly what: string;
  readonly change: (row: SiteRow) => Promise<unknown>;
  readonly undo?: (changed: readonly SiteRow[]) => Promise<void>;
}

/**
 * Changes the sites one after the other, reloads the list, and reports which were changed and why others were not.
 * Throws if none was, so that a dialog stays open with what was typed.
 */
async function forEachSite(rows: readonly SiteRow[], { what, change, undo }: Change): Promise<void> {
  const refused: { name: string; reason: string }[] = [];
  const changed: SiteRow[] = [];
  for (const row of rows) {
    try {
      await change(row);
      changed.push(row);
    } catch (error) {
      refused.push({ name: row.name, reason: messageOf(error) });
    }
  }
  await refresh("/site");
  if (changed.length > 0) announce(successWords(changed, what), undo ? () => undo(changed) : null);
  if (refused.length === 0) return;
  if (changed.length === 0) throw new Error(refusalWords(refused, what));
  complain(refusalWords(refused, what));
}
