import type { JSX } from "preact";
import type { Deployment } from "../../../api/types.ts";

export const SIGNS = { added: "+", changed: "~", removed: "−" } as const;
const TONES = { added: "good", changed: "warn", removed: "bad" } as const;
const KINDS = ["added", "changed", "removed"] as const;

type Counts = Readonly<Record<(typeof KINDS)[number], number>>;

/** Added, changed and removed files in three numbers. */
export function Diff({ counts }: { counts: Counts }): JSX.Element {
  if (KINDS.every((kind) => counts[kind] === 0)) return <span class="faint">No changes</span>;
  return (
    <span class="diff" title={KINDS.map((kind) => `${counts[kind]} ${kind}`).join(", ")}>
      {KINDS.map((kind) => (
        <span key={kind} class={counts[kind] === 0 ? "zero" : TONES[kind]}>
          <span aria-hidden="true">{SIGNS[kind]}</span>
          {counts[kind]}
          <span class="visually-hidden"> {kind} </span>
        </span>
      ))}
    </span>
  );
}

/** The changes of a deployment, or why they are not counted. */
export function Changes({ deployment }: { deployment: Deployment }): JSX.Element {
  const { changes, deployment_number, activated_at } = deployment;
  // Very large ones are compared on request.
  if (!changes) return <span class="faint">Not counted</span>;
  if (changes.compared_with !== null) return <Diff counts={changes} />;
  if (activated_at === null) return <span class="faint">Nothing live yet</span>;
  return <span class="faint">{deployment_number === 1 ? "First deployment" : "Previous deployment deleted"}</span>;
}
