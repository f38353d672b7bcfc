import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";

/** A card with a heading. `actions` are at the end of the heading, `foot` is a line below. */
export function Card(props: {
  title: string;
  /** Additional classes. */
  class?: string;
  actions?: ComponentChildren;
  foot?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  const heading = useId();
  return (
    <section class={`card ${props.class ?? ""}`} aria-labelledby={heading}>
      <div class="card-head">
        <h2 class="grow" id={heading}>
          {props.title}
        </h2>
        {props.actions}
      </div>
      {props.children}
      {props.foot !== undefined && <div class="card-foot">{props.foot}</div>}
    </section>
  );
}

export interface Figure {
  readonly name: string;
  readonly value: ComponentChildren;
  /** Small text beside it. */
  readonly side?: ComponentChildren;
}

/** The figures of a summary in one strip. `stacked` reserves a line for the small text where it does not fit beside. */
export function Figures({ figures, stacked }: { figures: readonly Figure[]; stacked?: boolean }): JSX.Element {
  return (
    <dl class={stacked ? "figures card stacked" : "figures card"}>
      {figures.map(({ name, value, side }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {side !== undefined && <span class="side">{side}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The value of a figure while it is loading. An element, so that the browser does not see a text that moves. */
export function Pending(): JSX.Element {
  return <span>{"\u00a0"}</span>;
}

/** A message about the whole page, with at most one action. A page has at most one banner. */
export function Banner(props: {
  icon: IconName;
  tone?: "warn" | undefined;
  action?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class={`banner ${props.tone ?? ""}`}>
      <Icon name={props.icon} />
      <p class="grow">{props.children}</p>
      {props.action}
    </div>
  );
}
