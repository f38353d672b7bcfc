import type { ComponentChildren, JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { Problem, useProblem } from "./dialog.tsx";
import { useKept } from "./kept.ts";

/** One line to fill in, and the button that does something with it. What was typed outlives a reload and a refusal. */
export function LineForm(props: {
  label: string;
  action: string;
  /** Where the text is kept. */
  kept: string;
  placeholder?: string;
  required?: boolean;
  /** In characters. */
  maxLength?: number;
  /** Stands below the line and may follow what is typed. */
  hint?: (text: string) => ComponentChildren;
  /** Stands below the line: what else there is to choose. */
  children?: ComponentChildren;
  /** Hears the trimmed text; what it throws is shown. */
  submit: (text: string) => Promise<void>;
}): JSX.Element {
  const [text, setText] = useKept(props.kept, "");
  const [problem, setProblem] = useProblem();
  const [busy, setBusy] = useState(false);
  const hint = useId();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await props.submit(text.trim());
      // What was typed meanwhile stays, also where the form was left and opened again.
      setText((now) => (now === text ? "" : now));
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  return (
    <form class="card card-body" onSubmit={submit}>
      <div class="form-row">
        <label class="field">
          {props.label}
          <input
            value={text}
            required={props.required ?? false}
            placeholder={props.placeholder ?? ""}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            {...(props.maxLength ? charactersUpTo(props.maxLength) : {})}
            {...(props.hint ? { "aria-describedby": hint } : {})}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
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

/** By a pattern, because the attribute `maxlength` counts UTF-16 units and an emoji twice. */
function charactersUpTo(most: number) {
  return { pattern: `.{0,${most}}`, title: `At most ${most} characters` };
}
