import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { DomainClaim, DomainMode } from "../../api/types.ts";
import { formatMoment } from "../../format.ts";
import { attempt } from "../../parts/toasts.tsx";

const WAYS: Record<DomainMode, string> = { direct: "direct", proxy: "proxied" };

/** A move between the two ways in: the old one serves until the new one answers. */
export function Transition(props: {
  path: string;
  claim: DomainClaim;
  changed: (claim: DomainClaim) => void;
}): JSX.Element | null {
  const { claim, path } = props;
  const [busy, setBusy] = useState(false);
  if (claim.target_mode === null || claim.effective_mode === null) return null;
  const ask = (what: "cancel" | "retry") => async () => {
    setBusy(true);
    await attempt(async () => props.changed(await call<DomainClaim>("POST", `${path}/transition/${what}`)));
    setBusy(false);
  };
  return (
    <div class="notice transition">
      <p>
        Switching from {WAYS[claim.effective_mode]} to {WAYS[claim.target_mode]}. Visitors keep using the old connection
        meanwhile
        {claim.transition_deadline_at ? `, until ${formatMoment(claim.transition_deadline_at)} at the latest` : ""}.
      </p>
      <div class="actions">
        <button type="button" class="button small" aria-disabled={busy} onClick={ask("retry")}>
          Retry
        </button>
        <button type="button" class="button small" aria-disabled={busy} onClick={ask("cancel")}>
          Cancel
        </button>
      </div>
    </div>
  );
}
