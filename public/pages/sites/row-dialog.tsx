import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { call } from "../../api/client.ts";
import { refresh } from "../../api/resource.ts";
import { requestDeploy } from "../../deploy/request.ts";
import { copyUrl } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { forgetSite } from "../../parts/of-site.ts";
import { announce } from "../../parts/toasts.tsx";
import type { RowActions } from "./row.tsx";
import type { SiteRow } from "./rows.ts";
import { TagsDialog } from "./tags-dialog.tsx";

/** The action on a site that a dialog is open for. */
export interface Requested {
  readonly what: "tags" | "delete";
  readonly row: SiteRow;
}

/** Returns the actions of rows, which never change. A hook. */
export function useRowActions(ask: (requested: Requested) => void): RowActions {
  return useMemo(
    () => ({
      deploy: ({ name }) => requestDeploy({ site: name, dropped: null }),
      editTags: (row) => ask({ what: "tags", row }),
      remove: (row) => ask({ what: "delete", row }),
      copyUrl: ({ url = "" }) => void copyUrl(url),
    }),
    [],
  );
}

export function RowDialog({
  requested: { what, row },
  onClose,
}: {
  requested: Requested;
  onClose: () => void;
}): JSX.Element {
  const { name } = row;
  if (what === "tags") {
    const save = async (tags: readonly string[]) => {
      await call("PUT", `/sites/${name}/tags`, { tags });
      await refresh("/sites");
    };
    return <TagsDialog title={`Tags of ${name}`} start={row.tags} action="Save" save={save} onClose={onClose} />;
  }
  const remove = async () => {
    await call("DELETE", `/sites/${name}`);
    forgetSite(name);
    await refresh("/site");
    announce(`${name} was deleted.`);
  };
  return (
    <Confirm title={`Delete ${name}?`} action="Delete site" phrase={name} onConfirm={remove} onClose={onClose}>
      <p>
        The site will be gone, with all deployments, tokens and readers. Its name stays reserved for you for a while.
        This cannot be undone.
      </p>
    </Confirm>
  );
}
