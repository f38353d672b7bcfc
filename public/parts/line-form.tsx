import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Problem, useOperation } from "./dialog.tsx";
import { TextField, VERBATIM } from "./field.tsx";
import { useKept } from "./kept.ts";

/** A text field with a button. The text survives a reload and a refusal. */
export function LineForm(props: {
  label: string;
  action: string;
  /** The key of the stored text. */
  kept: string;
  placeholder?: string;
  required?: boolean;
  /** In characters. */
  maxLength: number;
  /** The hint below the field; may depend on the text. */
  hint?: (text: string) => ComponentChildren;
  /** Further choices below the field. */
  children?: ComponentChildren;
  /** Called with the trimmed text. Its error is shown. */
  submit: (text: string) => Promise<void>;
}): JSX.Element {
  const [text, setText] = useKept(props.kept, "");
  const { busy, problem, run } = useOperation();
  const hint = useId();
  const submit = async (event: Event) => {
    event.preventDefault();
    // Text that was typed meanwhile stays, also if the form was closed and opened again.
    if (await run(() => props.submit(text.trim()))) setText((now) => (now === text ? "" : now));
  };
  return (
    <form class="card card-body" onSubmit={submit}>
      <div class="form-row">
        <TextField
          label={props.label}
          value={text}
          change={setText}
          required={props.required ?? false}
          placeholder={props.placeholder ?? ""}
          {...VERBATIM}
          {...charactersUpTo(props.maxLength)}
          {...(props.hint ? { "aria-describedby": hint } : {})}
        />
        <button
          type="submit"
          class="button primary"
          aria-disabled={busy || (props.required === true && text.trim() === "")}
        >
          {props.action}
        </button>
      </div>
      {props.children}
      {props.hint && (
        <div id={hint} class="small" role="status">
          {props.hint(text.trim())}
        </div>
      )}
      <Problem text={problem} />
    </form>
  );
}

/** A pattern, because the attribute `maxlength` counts UTF-16 units, two per emoji. */
function charactersUpTo(most: number) {
  return { pattern: `.{0,${most}}`, title: `At most ${most} characters` };
}
