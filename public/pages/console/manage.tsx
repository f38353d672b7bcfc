import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { refresh, useResource } from "../../api/resource.ts";
import type { Account } from "../../api/types.ts";
import { formatMoment } from "../../format.ts";
import { CloseAction, Confirm, Dialog, Problem, useOperation } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { useRecentSignIn } from "../../parts/recent-sign-in.tsx";
import type { Column } from "../../parts/table.tsx";
import { announce } from "../../parts/toasts.tsx";

/**
 * Runs an operation, reloads the console, and confirms it. An error is shown in the dialog. Resolves with whether it
 * succeeded.
 */
export type Act = (operation: () => Promise<unknown>, done: string | null) => Promise<boolean>;

/**
 * All operations of an operator on a user or a site. Dangerous ones require a recent sign-in. The dialog belongs to the
 * tab and loads its own data, because its row may disappear from the list.
 */
export function ManageDialog<Subject>(props: {
  title: string;
  /** The API path of the current data. */
  path: string;
  /** The data in the list when the dialog was opened. */
  start: Subject;
  /** The texts of the confirmation of the deletion. */
  deletion: (subject: Subject) => { readonly action: string; readonly text: string };
  onClose: () => void;
  children: (subject: Subject, act: Act, askToDelete: () => void) => ComponentChildren;
}): JSX.Element {
  const { title, path, onClose } = props;
  const { data = props.start, error } = useResource<Subject>(path);
  const [deleting, setDeleting] = useState(false);
  const { problem, run } = useOperation();
  const [recently, confirmPassword] = useRecentSignIn();
  const act: Act = (operation, done) =>
    run(async () => {
      await recently(operation);
      await refresh("/admin/");
      if (done !== null) announce(done);
    });
  const remove = async () => {
    await recently(() => call("DELETE", path));
    announce(`${title} was deleted.`);
    onClose();
    await refresh("/admin/");
  };
  const { action, text } = props.deletion(data);
  return (
    <>
      <Dialog title={title} onClose={onClose}>
        {error?.status === 404 && !deleting ? (
          <Gone name={title} onClose={onClose} />
        ) : (
          <div class="form">
            {props.children(data, act, () => setDeleting(true))}
            <Problem text={problem} />
            <CloseAction name="Done" primary onClose={onClose} />
          </div>
        )}
      </Dialog>
      {deleting && (
        <Confirm
          title={`Delete ${title}?`}
          action={action}
          phrase={title}
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          <p class="muted">{text}</p>
        </Confirm>
      )}
      {confirmPassword}
    </>
  );
}

/** Somebody else has deleted the subject of the dialog. */
function Gone({ name, onClose }: { name: string; onClose: () => void }): JSX.Element {
  return (
    <div class="form">
      <p role="alert">
        <strong>{name}</strong> was deleted meanwhile.
      </p>
      <CloseAction primary onClose={onClose} />
    </div>
  );
}

/** The column with the button that opens the dialog. */
export function manageColumn<Row>(nameOf: (row: Row) => string, manage: (row: Row) => void): Column<Row> {
  return {
    key: "manage",
    head: "",
    class: "c-more",
    cell: (row) => (
      <button
        type="button"
        class="button quiet small only"
        aria-label={`Manage ${nameOf(row)}`}
        onClick={() => manage(row)}
      >
        <Icon name="dots" />
      </button>
    ),
  };
}

/** An operation with its description. */
export function Choice(props: {
  title: string;
  text: string;
  action: string;
  onClick: () => void;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <li class="row">
      <div class="grow">
        <h3>{props.title}</h3>
        <p class="muted small">{props.text}</p>
        {props.children}
      </div>
      <button type="button" class="button small" onClick={props.onClick}>
        {props.action}
      </button>
    </li>
  );
}

/** Freezes with a reason, or unfreezes. `change` sends the new value of `frozen`. */
export function FreezeChoice(props: {
  name: string;
  frozen: Account["frozen"];
  /** The descriptions of a freeze and of lifting it. */
  texts: { readonly freeze: string; readonly unfreeze: string };
  /** The person to whom the reason is shown. */
  reader: string;
  /** What a freeze does, to be confirmed; null to freeze at once. */
  warning: string | null;
  change: (frozen: { reason: string | null } | null, done: string) => Promise<boolean>;
}): JSX.Element {
  const { name, frozen, texts, warning, change } = props;
  const [reason, setReason] = useState("");
  const [asking, setAsking] = useState(false);
  if (frozen) {
    const since = `Frozen since ${formatMoment(frozen.since)}${frozen.reason === null ? "." : `: ${frozen.reason}`}`;
    const unfreeze = () => change(null, `${name} is unfrozen.`);
    return <Choice title="Unfreeze" text={`${since} ${texts.unfreeze}`} action="Unfreeze" onClick={unfreeze} />;
  }
  const label = `Reason, shown to ${props.reader}`;
  const freeze = () => change({ reason: reason.trim() || null }, `${name} is frozen.`);
  return (
    <Choice
      title="Freeze"
      text={texts.freeze}
      action={warning === null ? "Freeze" : "Freeze…"}
      onClick={() => (warning === null ? freeze() : setAsking(true))}
    >
      <input
        aria-label={label}
        placeholder={label}
        value={reason}
        maxLength={500}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      {asking && (
        <Confirm title={`Freeze ${name}?`} action="Freeze" onConfirm={freeze} onClose={() => setAsking(false)}>
          <p>{warning}</p>
          <p class="muted">Nothing is deleted, and unfreezing restores everything.</p>
        </Confirm>
      )}
    </Choice>
  );
}
