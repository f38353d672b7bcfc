import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { type Resource, refresh, useResource } from "../../api/resource.ts";
import type { Deployment, Retention, Site } from "../../api/types.ts";
import { count, formatBytes } from "../../format.ts";
import { Ago, Loaded, SkeletonRows } from "../../parts/basics.tsx";
import { Problem } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { announce, attempt } from "../../parts/toasts.tsx";
import { Warnings } from "../../parts/warnings.tsx";
import { Changes } from "./changes.tsx";

/** Page size. */
const PAGE = 20;

export function DeploymentsTab({ site }: { site: Site }): JSX.Element {
  const deployments = useResource<Deployment[]>(pagePath(site.name));
  return (
    <section class="section">
      <h2 class="visually-hidden">Deployments</h2>
      <Loaded resource={deployments} what="the deployments" skeleton={<SkeletonRows rows={4} />}>
        {(newest) => <History site={site.name} newest={newest} loads={deployments.loads} />}
      </Loaded>
    </section>
  );
}

/** One request for the data of all rows. */
function pagePath(site: string): string {
  return `/sites/${site}/deployments?limit=${PAGE}&include=changes`;
}

function History(props: { site: string; newest: readonly Deployment[]; loads: number }): JSX.Element {
  const { newest: data, loads } = props;
  const ask = (before: number) => call<Deployment[]>("GET", `${pagePath(props.site)}&before=${before}`);
  const { rows, problem, showMore } = usePages({ data, loads }, PAGE, (row) => row.deployment_number, ask);
  const live = rows.find(isLive);
  return (
    <>
      <ol class="card rows history">
        {rows.map((deployment) => (
          <Row key={deployment.deployment_number} deployment={deployment} live={live} />
        ))}
      </ol>
      <Problem text={problem} />
      {showMore && (
        <button type="button" class="button" onClick={showMore}>
          Show older deployments
        </button>
      )}
    </>
  );
}

interface RowProps {
  readonly deployment: Deployment;
  /** The active deployment, if it is among the shown rows. */
  readonly live: Deployment | undefined;
}

function Row({ deployment, live }: RowProps): JSX.Element {
  const { deployment_number: number, warnings } = deployment;
  return (
    <li class={`row deployment${deployment === live ? " live" : ""}`}>
      <div class="deployment-main">
        <h3>
          <span class="deployment-number number">#{number}</span>
          {deployment === live && <span class="badge good">Live</span>}
          <PinnedBadge site={deployment.site_name} number={number} />
          <Changes deployment={deployment} />
        </h3>
        <p class="muted small">
          <Icon name={deployment.source === "session" ? "user" : "key"} size={13} />{" "}
          {deployment.source === "session" ? "by" : "by token"} <strong>{deployment.actor}</strong>
          <span class="faint"> · </span>
          <Ago at={deployment.created_at} />
          <span class="faint"> · </span>
          {count(deployment.file_count, "file")}, {formatBytes(deployment.size_bytes)}
        </p>
        {warnings.length > 0 && (
          <details class="small">
            <summary>
              <span class="badge warn">
                <Icon name="warning" size={12} /> {count(warnings.length, "warning")}
              </span>
            </summary>
            <Warnings warnings={warnings} />
          </details>
        )}
      </div>
      <Actions deployment={deployment} live={live} />
    </li>
  );
}

function Actions({ deployment, live }: RowProps): JSX.Element {
  const { site_name: site, deployment_number: number } = deployment;
  const [busy, setBusy] = useState(false);
  const isRollBack = live !== undefined && number < live.deployment_number;
  const click = async () => {
    setBusy(true);
    await attempt(() => goLive(site, number));
    setBusy(false);
  };
  return (
    <div class="actions">
      {deployment !== live && (
        <button type="button" class="button small" aria-disabled={busy} onClick={click}>
          <Icon name={isRollBack ? "undo" : "upload"} /> {isRollBack ? "Roll back" : "Publish"}
          <span class="visually-hidden">
            {" "}
            {isRollBack ? "to " : ""}deployment {number}
          </span>
        </button>
      )}
      <a class="button quiet small" href={deployment.url} target="_blank" rel="noopener">
        Preview<span class="visually-hidden"> deployment {number}</span>
      </a>
      <PinButton site={site} number={number} />
      <a
        class="button quiet only small"
        href={`/sites/${site}/deployments/${number}/archive`}
        download
        title={`Download deployment ${number} as a ZIP`}
      >
        <Icon name="download" />
        <span class="visually-hidden">Download deployment {number} as a ZIP</span>
      </a>
    </div>
  );
}

function isLive({ active }: Deployment): boolean {
  return active;
}

/** Activates a deployment and offers to undo. The previous one is loaded first, because the page may be out of date. */
async function goLive(site: string, number: number): Promise<void> {
  // The activation continues without an undo if the previous one is unknown.
  const before = await findLive(site).catch(() => undefined);
  await activate(site, number, before ? () => activate(site, before.deployment_number, null) : null);
}

/** Usually one of the newest; the whole history may be long. */
async function findLive(site: string): Promise<Deployment | undefined> {
  const path = `/sites/${site}/deployments`;
  const newest = await call<Deployment[]>("GET", `${path}?limit=${PAGE}`);
  return newest.find(isLive) ?? (await call<Deployment[]>("GET", path)).find(isLive);
}

async function activate(site: string, number: number, undo: (() => Promise<void>) | null): Promise<void> {
  await call("POST", `/sites/${site}/deployments/${number}/activate`);
  refresh("/sites");
  announce(`Deployment ${number} is live.`, undo);
}

/** The pinned deployments, loaded once for all rows. */
function useRetention(site: string): Resource<Retention> {
  return useResource<Retention>(`/sites/${site}/retention`);
}

/** Pins or unpins a deployment. */
function PinButton({ site, number }: { site: string; number: number }): JSX.Element {
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
      class="button quiet only small"
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

function PinnedBadge({ site, number }: { site: string; number: number }): JSX.Element | null {
  const pinned = useRetention(site).data?.pinned.includes(number) ?? false;
  return pinned ? <span class="badge">Pinned</span> : null;
}

function withPin(pinned: readonly number[], number: number, isPinned: boolean): number[] {
  const others = pinned.filter((other) => other !== number);
  return isPinned ? [...others, number] : others;
}
