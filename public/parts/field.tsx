import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "./icons.tsx";

/** Without what `TextField` sets itself. The attributes depend on the type of the input, so each type is treated alone. */
type AttributesOf<Input> = Input extends unknown ? Omit<Input, "label" | "value" | "onInput"> : never;
type InputAttributes = AttributesOf<JSX.IntrinsicElements["input"]>;

/** For names, URLs and codes, which a keyboard must not correct. */
export const VERBATIM = { autocapitalize: "none", spellcheck: false } as const;

/** A text input with its label, and a hint below. */
export function TextField(
  props: InputAttributes & {
    label: ComponentChildren;
    hint?: string;
    value: string;
    change: (value: string) => void;
  },
): JSX.Element {
  const { label, hint, value, change, ...attributes } = props;
  return (
    <label class="field">
      {label}
      <input autocomplete="off" {...attributes} value={value} onInput={(event) => change(event.currentTarget.value)} />
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}

/** The search of a list. The key `/` focuses it. */
export function SearchField(props: {
  label: string;
  placeholder: string;
  value: string;
  change: (value: string) => void;
}): JSX.Element {
  return (
    <label class="with-icon">
      <Icon name="search" />
      <input
        type="search"
        value={props.value}
        placeholder={props.placeholder}
        aria-label={props.label}
        data-search
        onInput={(event) => props.change(event.currentTarget.value)}
      />
      <kbd>/</kbd>
    </label>
  );
}

interface ChoiceProps<Value> {
  label: string;
  options: readonly (readonly [value: Value, words: string])[];
  value: Value;
  choose: (value: Value) => void;
}

/** A choice from a list that opens, with its label. */
export function SelectField<Value extends string>(props: ChoiceProps<Value>): JSX.Element {
  return (
    <label class="field">
      {props.label}
      <select value={props.value} onChange={(event) => props.choose(event.currentTarget.value as Value)}>
        {props.options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A choice between a few values side by side. */
export function Segments<Value>(props: ChoiceProps<Value>): JSX.Element {
  const group = useId();
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{props.label}</legend>
      {props.options.map(([value, words]) => (
        <label key={words}>
          <input type="radio" name={group} checked={props.value === value} onChange={() => props.choose(value)} />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

/** Check boxes for the values of a list. `choose` gets the chosen ones in the order of the options. */
export function Checks<Value extends string>(props: {
  legend: string;
  options: readonly (readonly [value: Value, words: string])[];
  chosen: readonly Value[];
  choose: (chosen: readonly Value[]) => void;
}): JSX.Element {
  const { legend, options, chosen, choose } = props;
  const values = options.map(([value]) => value);
  const change = (value: Value, on: boolean) =>
    choose(values.filter((other) => (other === value ? on : chosen.includes(other))));
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {options.map(([value, words]) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) => change(value, event.currentTarget.checked)}
          />
          {words}
        </label>
      ))}
    </fieldset>
  );
}
