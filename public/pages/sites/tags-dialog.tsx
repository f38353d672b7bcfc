import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { FormDialog } from "../../parts/dialog.tsx";
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
  const save = () => props.save(tagsIn(text));
  return (
    <FormDialog title={props.title} action={props.action} submit={save} onClose={props.onClose}>
      <TextField
        label="Tags"
        hint="With commas between them; ten at most, of 30 characters."
        value={text}
        change={setText}
        {...VERBATIM}
      />
    </FormDialog>
  );
}
