import type { JSX } from "preact";
import { SelectField } from "./field.tsx";

const LIFETIMES: readonly (readonly [value: string, words: string])[] = [
  ["1d", "1 day"],
  ["7d", "7 days"],
  ["14d", "14 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["365d", "1 year"],
];

/** A duration in the API's format; an empty value means never. */
export function LifetimeField(props: {
  value: string;
  choose: (value: string) => void;
  label?: string;
  /** Whether *Never* is offered as well. */
  orNever?: boolean;
}): JSX.Element {
  const { value, orNever } = props;
  const isKnown = value === "" || LIFETIMES.some(([known]) => known === value);
  const options = [
    ...(orNever ? [["", "Never"] as const] : []),
    ...(isKnown ? [] : [[value, value] as const]),
    ...LIFETIMES,
  ];
  return <SelectField label={props.label ?? "Expires after"} options={options} value={value} choose={props.choose} />;
}
