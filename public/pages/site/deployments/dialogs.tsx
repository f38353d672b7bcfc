import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Site } from "../../../api/types.ts";
import { openQuery } from "../../../router.ts";
import type { DeploymentAction } from "./actions.tsx";
import { AliasDialog } from "./alias-dialog.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import type { DeploymentRow } from "./groups.ts";
import { PublishDialog } from "./publish-dialog.tsx";
import { detailsPath } from "./resources.ts";

interface Open {
  readonly action: Exclude<DeploymentAction, "details">;
  readonly row: DeploymentRow;
}

/**
 * The dialogs of all rows. They are outside the rows, because a row moves to another group when somebody else publishes
 * it.
 */
export function useDialogs(
  site: Site,
  hosts: readonly string[],
): { act: (action: DeploymentAction, row: DeploymentRow) => void; dialog: JSX.Element | null } {
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return {
    act(action, row) {
      if (action === "details") openQuery(detailsPath(site.name, row.deployment.deployment_number));
      else setOpen({ action, row });
    },
    dialog: open && <DialogOf {...open} site={site} hosts={hosts} onClose={close} />,
  };
}

function DialogOf(props: Open & { site: Site; hosts: readonly string[]; onClose: () => void }): JSX.Element {
  const { action, row, site, hosts, onClose } = props;
  const { deployment, aliases } = row;
  if (action === "aliases") return <AliasDialog deployment={deployment} onClose={onClose} />;
  if (action === "delete") return <DeleteDialog deployment={deployment} aliases={aliases} onClose={onClose} />;
  const live = site.active_deployment;
  return <PublishDialog deployment={deployment} aliases={aliases} live={live} hosts={hosts} onClose={onClose} />;
}
