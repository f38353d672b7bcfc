import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { call, messageOf } from "../../api/client.ts";
import { refresh } from "../../api/resource.ts";
import { count, formatNumber } from "../../format.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Icon, type IconName } from "../../parts/icons.tsx";
import { Menu, MenuItem } from "../../parts/menu.tsx";
import { forgetSite } from "../../parts/of-site.ts";
import { announce, attempt, complain } from "../../parts/toasts.tsx";
import type { SiteRow } from "./rows.ts";
import { withTags } from "./tags.ts";
import { TagsDialog } from "./tags-dialog.tsx";

type Requested = "tag" | "publish" | "delete";

/** The actions on all selected sites, above the page. */
export function BulkBar({ rows, clear }: { rows: readonly SiteRow[]; clear: () => void }): JSX.Element {
  const [requested, setRequested] = useState<Requested | null>(null);
  const [busy, setBusy] = useState(false);
  useEscape(clear);
  const open = rows.filter((row) => !row.private);
  const protect = async () => {
    setBusy(true);
    await attempt(() => forEachSite(open, "made private", ({ name }) => call("PUT", `/sites/${name}/access`)));
    setBusy(false);
  };
  return (
    <div class="bulk" role="toolbar" aria-label="Selected sites">
      <span class="bulk-count" role="status">
        {formatNumber(rows.length)} selected
      </span>
      <BulkButton icon="tag" busy={busy} press={() => setRequested("tag")}>
        Add tag
      </BulkButton>
      <AccessMenu
        protect={busy || open.length === 0 ? null : () => void protect()}
        publish={busy || open.length === rows.length ? null : () => setRequested("publish")}
      />
      <BulkButton icon="trash" busy={busy} press={() => setRequested("delete")}>
        Delete…
      </BulkButton>
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
      forEachSite(rows, "tagged", (row) => call("PUT", `/sites/${row.name}/tags`, { tags: withTags(row.tags, tags) }));
    return <TagsDialog title={`Add tags to ${sites}`} start={[]} action="Add tags" save={save} onClose={onClose} />;
  }
  if (requested === "publish") {
    const closed = rows.filter((row) => row.private);
    const publish = () => forEachSite(closed, "made public", ({ name }) => call("DELETE", `/sites/${name}/access`));
    const title = `Make ${count(closed.length, "site")} public?`;
    return (
      <Confirm title={title} action="Make public" onConfirm={publish} onClose={onClose}>
        <p>
          Anyone can then open <strong>{namesOf(closed)}</strong>. Search engines can list them.
        </p>
      </Confirm>
    );
  }
  const remove = async () => {
    await forEachSite(rows, "deleted", async ({ name }) => {
      await call("DELETE", `/sites/${name}`);
      forgetSite(name);
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
  busy: boolean;
  press: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <button type="button" class="button quiet small" aria-disabled={props.busy} onClick={props.press}>
      <Icon name={props.icon} />
      {props.children}
    </button>
  );
}

/** Enough names to recognize a mistake. */
const NAMED = 6;

function namesOf(rows: readonly SiteRow[]): string {
  const names = rows.slice(0, NAMED).map(({ name }) => name);
  const more = rows.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}

/**
 * Changes the sites one after the other, reloads the list, and reports how many were changed and why others were not.
 * Throws if none was, so that a dialog stays open with what was typed.
 */
async function forEachSite(
  rows: readonly SiteRow[],
  what: string,
  change: (row: SiteRow) => Promise<unknown>,
): Promise<void> {
  const refused: string[] = [];
  for (const row of rows) {
    try {
      await change(row);
    } catch (error) {
      refused.push(`${row.name}: ${messageOf(error)}`);
    }
  }
  await refresh("/site");
  const changed = rows.length - refused.length;
  if (changed > 0) announce(`${count(changed, "site")} ${changed === 1 ? "was" : "were"} ${what}.`);
  if (refused.length === 0) return;
  const problem = `${count(refused.length, "site")} not ${what}. ${refused[0]}`;
  if (changed === 0) throw new Error(problem);
  complain(problem);
}
