import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Dialog, Problem, useProblem } from "../../parts/dialog.tsx";
import { tagsIn } from "./tags.ts";

/** Edits tags. Calls `save` with them, and shows its error. */
export function TagsDialog(props: {
  title: string;
  start: readonly string[];
  action: string;
  save: (tags: readonly string[]) => Promise<unknown>;
  onClose: () => void;
}): JSX.Element {
  const [text, setText] = useState(props.start.join(", "));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useProblem();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await props.save(tagsIn(text));
      props.onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} closable={!busy} onClose={props.onClose}>
      <form class="form" onSubmit={submit}>
        <label class="field">
          Tags
          <input
            value={text}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <span class="hint">With commas between them; ten at most, of 30 characters.</span>
        </label>
        <Problem text={problem} />
        <div class="dialog-actions">
          <button type="button" class="button" aria-disabled={busy} onClick={props.onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" aria-disabled={busy}>
            {props.action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
