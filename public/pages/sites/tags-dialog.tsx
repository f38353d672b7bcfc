import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Dialog, FormActions, Problem, useOperation } from "../../parts/dialog.tsx";
import { TextField, VERBATIM } from "../../parts/field.tsx";
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
  const { busy, problem, run } = useOperation();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await run(() => props.save(tagsIn(text)))) props.onClose();
  };
  return (
    <Dialog title={props.title} closable={!busy} onClose={props.onClose}>
      <form class="form" onSubmit={submit}>
        <TextField
          label="Tags"
          hint="With commas between them; ten at most, of 30 characters."
          value={text}
          change={setText}
          {...VERBATIM}
        />
        <Problem text={problem} />
        <FormActions action={props.action} busy={busy} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
