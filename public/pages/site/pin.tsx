import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { Retention } from "../../api/types.ts";
import { Icon } from "../../parts/icons.tsx";
import { announce, attempt } from "../../parts/toasts.tsx";

/** Which deployments are pinned; all rows of a history share one answer. */
function useRetention(site: string): Resource<Retention> {
  return useResource<Retention>(`/sites/${site}/retention`);
}

/** Keeps a deployment whatever the policy says, or lets it go again. */
export function PinButton({ site, number }: { site: string; number: number }): JSX.Element {
  const retention = useRetention(site);
  const [busy, setBusy] = useState(false);
  const pinned = retention.data?.pinned.includes(number) ?? false;
  const toggle = async () => {
    setBusy(true);
    const done = await attempt(() => call(pinned ? "DELETE" : "POST", `/sites/${site}/deployments/${number}/pin`));
    if (done) {
      retention.set((now) => ({ ...now, pinned: withPin(now.pinned, number, !pinned) }));
      announce(pinned ? `Deployment ${number} is unpinned.` : `Deployment ${number} is pinned.`);
    }
    setBusy(false);
  };
  return (
    <button
      type="button"
      class="button quiet icon small"
      aria-pressed={pinned}
      title={pinned ? "Pinned: retention never deletes it" : "Pin: keep it regardless of retention"}
      aria-disabled={busy || retention.data === undefined}
      onClick={toggle}
    >
      <Icon name="pin" />
      <span class="visually-hidden">Pin deployment {number}</span>
    </button>
  );
}

export function PinnedBadge({ site, number }: { site: string; number: number }): JSX.Element | null {
  const pinned = useRetention(site).data?.pinned.includes(number) ?? false;
  return pinned ? <span class="badge">Pinned</span> : null;
}

function withPin(pinned: readonly number[], number: number, isPinned: boolean): number[] {
  const others = pinned.filter((other) => other !== number);
  return isPinned ? [...others, number] : others;
}
