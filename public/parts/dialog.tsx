import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, messageOf } from "../api/client.ts";
import { complain, raiseToasts } from "./toasts.tsx";

/** A modal dialog of the browser's own: it keeps the focus inside, closes with Escape, and gives the focus back. */
export function Dialog(props: {
  title: string;
  /** False while something runs that closing would not stop. */
  closable?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    raiseToasts();
    // Before it leaves the page: a dialog that is gone gives no focus back.
    return () => element?.close();
  }, []);
  const cancel = (event: Event) => {
    // A file chooser that was closed sends an event of the same name up here.
    if (event.target !== dialog.current) return;
    event.preventDefault();
    if (props.closable !== false) props.onClose();
  };
  // A browser closes a dialog by itself when Escape is pressed twice: it goes on where it must, and is over otherwise.
  const closed = () => {
    if (!dialog.current?.isConnected) return;
    if (props.closable === false) dialog.current.showModal();
    else props.onClose();
  };
  return (
    <dialog ref={dialog} aria-labelledby={heading} onCancel={cancel} onClose={closed}>
      <div class="dialog-body">
        <h2 id={heading}>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}

/** Asks before something that cannot be taken back. `phrase`, where given, has to be typed first. */
export function Confirm(props: {
  title: string;
  action: string;
  phrase?: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useProblem();
  const ready = props.phrase === undefined || typed === props.phrase;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await props.onConfirm();
      props.onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  const close = () => {
    setProblem(null);
    props.onClose();
  };
  return (
    <Dialog title={props.title} closable={!busy} onClose={close}>
      <form class="form" onSubmit={submit}>
        {props.children}
        {props.phrase !== undefined && (
          <label class="field">
            <span>
              Type <strong>{props.phrase}</strong> to confirm
            </span>
            <input value={typed} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
        )}
        <Problem text={problem} />
        <div class="dialog-actions">
          <button type="button" class="button" aria-disabled={busy} onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button danger" aria-disabled={!ready || busy}>
            {props.action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/**
 * What went wrong, for a `Problem`; null once it was read, or is tried again. Said in the corner where its place has left
 * the page by then, or leaves it as soon as the page shows why.
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
  const tell = async (error: unknown) => {
    latest.current = error;
    setProblem(error === null ? null : messageOf(error));
    if (error === null) return;
    if (!gone.current && error instanceof ApiError) await error.looked;
    if (gone.current && latest.current === error) complain(messageOf(error));
  };
  return [problem, tell];
}

/** What went wrong, said at once to a screen reader. */
export function Problem({ text }: { text: string | null }): JSX.Element | null {
  return text === null ? null : (
    <p class="notice error" role="alert">
      {text}
    </p>
  );
}
