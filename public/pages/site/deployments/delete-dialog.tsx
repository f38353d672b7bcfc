import type { JSX } from "preact";
import { call } from "../../../api/client.ts";
import { refresh } from "../../../api/resource.ts";
import type { Alias, Deployment } from "../../../api/types.ts";
import { CloseAction, Confirm, Dialog } from "../../../parts/dialog.tsx";
import { announce } from "../../../parts/toasts.tsx";

interface Props {
  readonly deployment: Deployment;
  readonly aliases: readonly Alias[];
  readonly onClose: () => void;
}

/** Deletes a deployment, unless aliases point to it. */
export function DeleteDialog({ deployment, aliases, onClose }: Props): JSX.Element {
  const { site_name: site, deployment_number: number } = deployment;
  const title = `Delete deployment ${number}?`;
  const remove = async () => {
    await call("DELETE", `/sites/${site}/deployments/${number}`);
    void refresh(`/sites/${site}`);
    announce(`Deployment ${number} was deleted.`);
  };
  if (aliases.length > 0) {
    return (
      <Dialog title={title} onClose={onClose}>
        <p>
          It cannot be deleted while an alias points to it:{" "}
          <strong>{aliases.map(({ name }) => name).join(", ")}</strong>. Point the alias to another deployment, or
          remove it, under <em>Aliases</em> in the menu.
        </p>
        <CloseAction onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Confirm title={title} action="Delete deployment" onConfirm={remove} onClose={onClose}>
      <p>Its URL stops working at once, and so do its shares. Files that only it has are deleted within a minute.</p>
      <p class="muted">
        This cannot be undone. If it published a secret, replace that secret as well: somebody may have copied it.
      </p>
    </Confirm>
  );
}
