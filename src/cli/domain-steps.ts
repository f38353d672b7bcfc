import type { DomainClaim, ProxyDiagnostics } from "../api/schemas/types.ts";
import { hasNoAddress, recordGone } from "../domain/claims/messages.ts";
import { printable } from "../domain/printable.ts";
import type { Style } from "./terminal/style.ts";
import { formatTime } from "./terminal/units.ts";

type Record = { readonly type: string; readonly value: string };

/** One step towards a connected domain. */
interface Step {
  readonly state: "done" | "waiting" | "failed";
  readonly text: string;
  /** Instructions, one per line. */
  readonly lines: readonly string[];
}

/** Returns the steps from a claim to a connected domain, each with its state. */
export function stepsOf(claim: DomainClaim, targets: readonly Record[]): readonly Step[] {
  if (claim.status === "expired" || claim.status === "cancelled") return [endedStep(claim)];
  const steps = [ownershipStep(claim), addressStep(claim, targets), connectionStep(claim)];
  const proxy = claim.proxy_diagnostics;
  return proxy && claim.observed_mode === "proxy" ? [...steps, proxyStep(proxy)] : steps;
}

export function formatSteps(style: Style, steps: readonly Step[]): string {
  const mark = { done: style.green("✓"), waiting: style.yellow("…"), failed: style.red("✗") };
  return steps
    .flatMap(({ state, text, lines }) => [
      `  ${mark[state]} ${printable(text)}`,
      ...lines.map((line) => `      ${printable(line)}`),
    ])
    .join("\n");
}

/** Returns name, type and value of a record on separate lines, ready to be copied into a DNS provider's form. */
function recordLines({ name, type, value }: { name: string } & Record): readonly string[] {
  return [`name   ${name}`, `type   ${type}`, `value  ${value}`];
}

function endedStep(claim: DomainClaim): Step {
  const why = claim.status === "expired" ? "The TXT record was not found in time" : "The domain was removed";
  return { state: "failed", text: `${why}.`, lines: reasons(claim.last_error) };
}

function ownershipStep(claim: DomainClaim): Step {
  const { name, value } = claim.verification;
  if (claim.verified_at && claim.last_error?.includes(recordGone(name, value))) {
    return {
      state: "waiting",
      text: "The TXT record is missing. Set it again:",
      lines: recordLines(claim.verification),
    };
  }
  if (claim.verified_at) {
    return {
      state: "done",
      text: `Ownership verified by the TXT record (${formatTime(claim.verified_at)}).`,
      lines: [],
    };
  }
  return {
    state: "waiting",
    text: `The TXT record was not found yet. Set it by ${formatTime(claim.expires_at)}:`,
    lines: [...recordLines(claim.verification), ...reasons(claim.last_error)],
  };
}

function addressStep(claim: DomainClaim, targets: readonly Record[]): Step {
  const wanted = targets.flatMap((target) => recordLines({ name: claim.hostname, ...target }));
  switch (claim.observed_mode) {
    case "direct":
      return { state: "done", text: "The hostname points to this server.", lines: [] };
    case "proxy":
      return { state: "done", text: "The hostname points to this server through the edge.", lines: [] };
    case "mixed":
      return {
        state: claim.connection_status === "connected" ? "waiting" : "failed",
        text: "The hostname points to this server both directly and through the edge: keep one of the two.",
        lines: wanted,
      };
    case "unsupported":
      return {
        state: "failed",
        text: "The hostname points elsewhere. Set one of these records instead:",
        lines: wanted,
      };
    case "unavailable":
      // If the resolver failed, the records are unknown; the last error has the reason.
      return claim.last_error?.startsWith(hasNoAddress(claim.hostname))
        ? { state: "waiting", text: "The hostname has no address. Set one of these records:", lines: wanted }
        : { state: "waiting", text: "The hostname's address could not be looked up.", lines: [] };
    case null:
      return {
        state: "waiting",
        text: "Then point the hostname to this server with one of these records:",
        lines: wanted,
      };
    default:
      return claim.observed_mode satisfies never;
  }
}

function connectionStep(claim: DomainClaim): Step {
  // Before verification the last error concerns the TXT record and is shown there.
  const lastError = claim.verified_at ? claim.last_error : null;
  const errors = reasons(claim.route_error, claim.activation_error, claim.transition_error, lastError);
  switch (claim.connection_status) {
    case "connected":
      return { state: "done", text: `Connected: ${claim.hostname} serves the site.`, lines: errors };
    case "updating":
      return {
        state: "waiting",
        text: `Switching to ${claim.target_mode} mode; until then the site is served as before.`,
        lines: errors,
      };
    case "securing":
      return { state: "waiting", text: "The certificate is being issued or put in place.", lines: errors };
    case "action_needed":
      return { state: "failed", text: "Action needed:", lines: [...errors, ...afterTransition(claim)] };
    case "waiting_for_dns":
      return { state: "waiting", text: "Not connected yet.", lines: errors };
    default:
      return claim.connection_status satisfies never;
  }
}

function afterTransition({ site_name, hostname, transition_error }: DomainClaim): readonly string[] {
  return transition_error === null ? [] : [`Then: vitrine domains retry ${site_name} ${hostname} (or cancel)`];
}

function proxyStep(proxy: ProxyDiagnostics): Step {
  const parts = {
    DNS: proxy.dns,
    "the edge's certificate": proxy.edge_tls,
    "the edge's response": proxy.edge_http,
    "this server": proxy.origin,
    "plain HTTP": proxy.http_forwarding,
    ownership: proxy.ownership,
  };
  const lines = Object.entries(parts)
    .filter(([, { status }]) => status === "warning" || status === "error")
    .map(([part, { status, error }]) => `${part}: ${error ?? status}`);
  return { state: lines.length > 0 ? "failed" : "done", text: "The connection through the edge.", lines };
}

/** Removes duplicates, because several fields may have the same message. */
function reasons(...errors: readonly (string | null)[]): readonly string[] {
  return [...new Set(errors.filter((error) => error !== null && error !== ""))] as readonly string[];
}
