import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, messageOf } from "../api/client.ts";
import { TextField } from "./field.tsx";
import { useModal } from "./modal.ts";
import { complain } from "./toasts.tsx";

/** A native modal dialog, which traps the focus, closes with Escape, and restores the focus. */
export function Dialog(props: {
  title: string;
  /** False while an operation runs that closing would not stop. */
  closable?: boolean;
  wide?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const modal = useModal(props.onClose, props.closable);
  const heading = useId();
  return (
    <dialog class={props.wide ? "dialog wide" : "dialog"} aria-labelledby={heading} {...modal}>
      <header>
        <h2 id={heading}>{props.title}</h2>
      </header>
      <div class="dialog-body">{props.children}</div>
    </dialog>
  );
}

/** The end of a dialog that can only be closed. */
export function CloseAction(props: { name?: string; primary?: boolean; onClose: () => void }): JSX.Element {
  return (
    <div class="dialog-actions">
      <button type="button" class={props.primary ? "button primary" : "button"} onClick={props.onClose}>
        {props.name ?? "Close"}
      </button>
    </div>
  );
}

/** The end of a dialog with a form: a button that closes it, and one that submits the form. */
export function FormActions(props: {
  /** The label of the submit button. */
  action: string;
  danger?: boolean;
  /** False if the form is incomplete. */
  ready?: boolean;
  busy?: boolean;
  autofocus?: boolean;
  /** The label of the other button. */
  cancel?: string;
  onCancel: () => void;
}): JSX.Element {
  const { ready = true, busy = false } = props;
  return (
    <div class="dialog-actions">
      <button type="button" class="button" aria-disabled={busy} onClick={props.onCancel}>
        {props.cancel ?? "Cancel"}
      </button>
      <button
        type="submit"
        class={props.danger ? "button danger" : "button primary"}
        aria-disabled={!ready || busy}
        autofocus={props.autofocus === true}
      >
        {props.action}
      </button>
    </div>
  );
}

/** A dialog with a form. Submitting it runs the operation, and closes the dialog or shows the error. */
export function FormDialog(props: {
  title: string;
  /** The label of the submit button. */
  action: string;
  danger?: boolean;
  /** False if the form is incomplete. */
  ready?: boolean;
  /** True if the submit button gets the focus. */
  autofocus?: boolean;
  submit: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const { title, action, danger = false, ready = true, autofocus = false, onClose, children } = props;
  const { busy, problem, run, dismiss } = useOperation();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (ready && !busy && (await run(props.submit))) onClose();
  };
  const close = () => {
    dismiss();
    onClose();
  };
  return (
    <Dialog title={title} closable={!busy} onClose={close}>
      <form class="form" onSubmit={submit}>
        {children}
        <Problem text={problem} />
        <FormActions action={action} danger={danger} ready={ready} busy={busy} autofocus={autofocus} onCancel={close} />
      </form>
    </Dialog>
  );
}

interface Question {
  readonly title: string;
  /** The label of the button that confirms. */
  readonly action: string;
  /** Must be typed to confirm. */
  readonly phrase?: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly children: ComponentChildren;
}

/** Confirms an operation that cannot be undone. */
export function Confirm(props: Question & { onClose: () => void }): JSX.Element {
  const { phrase, onConfirm, children, ...dialog } = props;
  const [typed, setTyped] = useState("");
  return (
    <FormDialog {...dialog} danger ready={phrase === undefined || typed === phrase} submit={onConfirm}>
      {children}
      {phrase !== undefined && (
        <TextField
          label={
            <span>
              Type <strong>{phrase}</strong> to confirm
            </span>
          }
          value={typed}
          change={setTyped}
        />
      )}
    </FormDialog>
  );
}

/** A button that runs an operation after a question. */
export function ConfirmButton(
  props: Question & {
    /** The content of the button. */
    label: ComponentChildren;
    /** The classes beside `button`. */
    class?: string;
    /** False if there is nothing to do. */
    ready?: boolean;
  },
): JSX.Element {
  const { label, class: className = "", ready = true, ...question } = props;
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" class={`button ${className}`.trim()} aria-disabled={!ready} onClick={() => setAsking(true)}>
        {label}
      </button>
      {asking && <Confirm {...question} onClose={() => setAsking(false)} />}
    </>
  );
}

/**
 * An error for a `Problem`; null once it is dismissed or retried. Shown as a toast if its component was removed
 * or is replaced by a page that shows the reason.
 */
export function useProblem(): [string | null, (error: unknown) => void] {
  const [problem, setProblem] = useState<string | null>(null);
  const latest = useRef<unknown>(null);
  const gone = useRef(false);
  useLayoutEffect(
    () => () => {
      gone.current = true;
    },
    [],
  );
  const show = async (error: unknown) => {
    latest.current = error;
    setProblem(error === null ? null : messageOf(error));
    if (error === null) return;
    if (!gone.current && error instanceof ApiError) await error.reloaded;
    if (gone.current && latest.current === error) complain(messageOf(error));
  };
  return [problem, show];
}

/** An operation of a form or dialog, which shows its error. */
interface Operation {
  readonly busy: boolean;
  /** The error of the last run, for a `Problem`. */
  readonly problem: string | null;
  /** Resolves with whether the operation succeeded. */
  readonly run: (operation: () => Promise<unknown>) => Promise<boolean>;
  /** Removes the error. */
  readonly dismiss: () => void;
}

/** Runs operations, and keeps the error of the last one. A hook. */
export function useOperation(): Operation {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useProblem();
  const run = async (operation: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setProblem(null);
    try {
      await operation();
      return true;
    } catch (error) {
      setProblem(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, run, dismiss: () => setProblem(null) };
}

/** An error message, announced by screen readers. */
export function Problem({ text }: { text: string | null }): JSX.Element | null {
  return text === null ? null : (
    <p class="notice error" role="alert">
      {text}
    </p>
  );
}
