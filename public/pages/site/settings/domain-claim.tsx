import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError, call, isUnreachable, messageOf } from "../../../api/client.ts";
import { useReloads } from "../../../api/reloads.ts";
import type {
  DiagnosticComponent,
  DomainCapability,
  DomainClaim,
  DomainMode,
  ProxyDiagnostics,
} from "../../../api/types.ts";
import { formatMoment } from "../../../format.ts";
import { ActionButton } from "../../../parts/action-button.tsx";
import { Ago } from "../../../parts/basics.tsx";
import { ConfirmButton, Problem } from "../../../parts/dialog.tsx";
import { Icon } from "../../../parts/icons.tsx";
import { announce } from "../../../parts/toasts.tsx";
import { issuerOf } from "./certificate-words.ts";
import { dnsNow, problemOf, stepsOf } from "./claim-steps.ts";
import { CONNECTIONS } from "./claim-words.ts";
import { ClaimStep } from "./domain-steps.tsx";
import { Validity } from "./validity.tsx";

/** Milliseconds between checks of a visible page. A check needs a few DNS queries. */
const CHECK_INTERVAL_MS = 8000;

interface Props {
  readonly site: string;
  readonly claim: DomainClaim;
  readonly capability: DomainCapability;
  readonly changed: (claim: DomainClaim) => void;
  readonly removed: () => void;
}

export function ClaimCard({ site, claim, capability, changed, removed }: Props): JSX.Element {
  const path = `/sites/${site}/domains/${claim.id}`;
  const check = useChecks(path, claim.connection_status !== "connected", changed);
  const { tone, words, icon } = CONNECTIONS[claim.connection_status];
  const isConnected = claim.connection_status === "connected";
  const problem = isConnected ? null : problemOf(claim, Date.now());
  const steps = (
    <ol class="claim-steps">
      {stepsOf(claim, capability).map((step, index) => (
        <ClaimStep key={step.name} step={step} number={index + 1} claim={claim} capability={capability} />
      ))}
    </ol>
  );
  return (
    <article class={`card claim ${tone === "warn" ? "failing" : ""}`} aria-label={claim.hostname}>
      <header class="card-head">
        <h3>
          <HostLink claim={claim} />
        </h3>
        <span class={`badge ${tone}`}>
          <Icon name={icon} /> {words}
        </span>
        {claim.target && <span class="badge">shows {claim.target.alias}</span>}
        <span class="grow" />
        <Remove path={path} hostname={claim.hostname} removed={removed} />
      </header>
      {isConnected ? (
        <details class="card-body small">
          <summary>Steps and DNS records</summary>
          {steps}
        </details>
      ) : (
        steps
      )}
      <footer class="claim-foot">
        <Transition path={path} claim={claim} changed={changed} />
        {problem !== null && <p class="notice warn">{problem}</p>}
        <Problem text={check.problem} />
        <p class="muted small" role="status">
          DNS: {dnsNow(claim)}
          {claim.last_checked_at !== null && (
            <>
              <span class="faint"> · </span>checked <Ago at={claim.last_checked_at} />
            </>
          )}
          {claim.certificate && (
            <>
              <span class="faint"> · </span>
              <Validity certificate={claim.certificate} /> by {issuerOf(claim.certificate)}
            </>
          )}
        </p>
        <ActionButton class="small" run={check.now}>
          <Icon name="refresh" /> Check now
        </ActionButton>
        {claim.proxy_diagnostics && <Diagnostics diagnostics={claim.proxy_diagnostics} />}
      </footer>
    </article>
  );
}

export function EndedClaim({ claim }: { claim: DomainClaim }): JSX.Element {
  return (
    <li>
      <div class="grow">
        <h3 class="line">
          {claim.hostname} <span class="badge">{claim.withdrawn_at ? "removed" : claim.status}</span>
        </h3>
        {claim.last_error !== null && <p class="muted small">{claim.last_error}</p>}
      </div>
    </li>
  );
}

function HostLink({ claim }: { claim: DomainClaim }): JSX.Element {
  if (claim.activated_at === null) return <span>{claim.hostname}</span>;
  return (
    <a href={`${location.protocol}//${claim.hostname}`} target="_blank" rel="noopener">
      {claim.hostname}
    </a>
  );
}

function Remove({ path, hostname, removed }: { path: string; hostname: string; removed: () => void }) {
  const remove = async () => {
    await call("DELETE", path);
    removed();
    announce(`${hostname} was removed.`);
  };
  return (
    <ConfirmButton
      label={
        <>
          <Icon name="trash" /> Remove<span class="visually-hidden"> {hostname}</span>
        </>
      }
      class="quiet small"
      title={`Remove ${hostname}?`}
      action="Remove domain"
      onConfirm={remove}
    >
      <p class="muted">Visitors to this domain get a 404 page from then on. The site keeps its other URLs.</p>
    </ConfirmButton>
  );
}

/** Checks repeatedly while the claim can make progress and the page is visible. */
function useChecks(path: string, onItsWay: boolean, changed: (claim: DomainClaim) => void) {
  const [problem, setProblem] = useState<string | null>(null);
  const check = async () => {
    changed(await call<DomainClaim>("POST", `${path}/check`));
    setProblem(null);
  };
  const lookByItself = async () => {
    if (document.hidden) return;
    await check().catch((error) => {
      // The banner reports an outage.
      if (!(error instanceof ApiError && isUnreachable(error))) setProblem(messageOf(error));
    });
  };
  useReloads(onItsWay, lookByItself, CHECK_INTERVAL_MS);
  const now = () => check().catch((error) => setProblem(messageOf(error)));
  return { problem, now };
}

const WAYS: Record<DomainMode, string> = { direct: "direct", proxy: "proxied" };

/** A transition between direct and proxy mode. The old mode stays effective until the new one works. */
function Transition(props: {
  path: string;
  claim: DomainClaim;
  changed: (claim: DomainClaim) => void;
}): JSX.Element | null {
  const { claim, path } = props;
  if (claim.target_mode === null || claim.effective_mode === null) return null;
  const ask = (what: "cancel" | "retry") => async () =>
    props.changed(await call<DomainClaim>("POST", `${path}/transition/${what}`));
  return (
    <div class="notice transition">
      <p>
        Switching from {WAYS[claim.effective_mode]} to {WAYS[claim.target_mode]}. Visitors keep using the old connection
        meanwhile
        {claim.transition_deadline_at ? `, until ${formatMoment(claim.transition_deadline_at)} at the latest` : ""}.
      </p>
      <div class="actions">
        <ActionButton class="small" run={ask("retry")}>
          Retry
        </ActionButton>
        <ActionButton class="small" run={ask("cancel")}>
          Cancel
        </ActionButton>
      </div>
    </div>
  );
}

const COMPONENT_BADGES: Record<string, string> = { ok: "good", warning: "warn", error: "bad" };

/** The diagnostics of the last check through the proxy. */
function Diagnostics({ diagnostics }: { diagnostics: ProxyDiagnostics }): JSX.Element {
  const { dns, edge_tls, edge_http, http_forwarding, origin, ownership } = diagnostics;
  return (
    <details class="diagnostics small">
      <summary>Proxy diagnostics</summary>
      <table class="figure-table">
        <tbody>
          <Part name="DNS" part={dns} />
          <Part name="Edge certificate" part={edge_tls} />
          <Part name="HTTPS response" part={edge_http} note={httpNote(edge_http)} />
          <Part name="HTTP response" part={http_forwarding} note={statusNote(http_forwarding.status_code)} />
          <Part name="This server" part={origin} />
          <Part name="Ownership" part={ownership} />
        </tbody>
      </table>
    </details>
  );
}

function Part({ name, part, note = "" }: { name: string; part: DiagnosticComponent; note?: string }): JSX.Element {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <span class={`badge ${COMPONENT_BADGES[part.status] ?? ""}`}>{part.status}</span>
      </td>
      <td>{[note, part.error].filter(Boolean).join(" · ")}</td>
    </tr>
  );
}

function httpNote({ status_code, address, edge_cache_status, redirect_location }: ProxyDiagnostics["edge_http"]) {
  return [
    statusNote(status_code),
    address && `from ${address}`,
    edge_cache_status && `cache ${edge_cache_status}`,
    redirect_location && `redirects to ${redirect_location}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function statusNote(status: number | null): string {
  return status === null ? "" : `status ${status}`;
}
