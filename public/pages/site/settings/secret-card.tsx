import type { ComponentChildren, JSX } from "preact";

/** A new secret, shown until it is dismissed, because the server does not return it again. */
export function SecretCard(props: {
  /** What the secret is, for screen readers. */
  name: string;
  /** Further buttons. */
  actions?: ComponentChildren;
  dismiss: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="card card-body secret" role="status">
      {props.children}
      <div class="actions">
        {props.actions}
        <button type="button" class="button small" onClick={props.dismiss}>
          Done, I've copied it<span class="visually-hidden"> ({props.name})</span>
        </button>
      </div>
    </div>
  );
}
