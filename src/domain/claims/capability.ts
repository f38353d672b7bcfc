import type { CertificateAutomation } from "../ports/certificates.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import type { RoutingTarget } from "./observation.ts";

/** True if custom domains work on this server at the moment. */
export interface DomainCapability {
  readonly status: "ready" | "disabled" | "not_ready";
  readonly enabled: boolean;
  /** True if the scheduler runs and, with ACME, certificates can be ordered. */
  readonly controlReady: boolean;
  /** True if the routing targets are known. */
  readonly routingEnabled: boolean;
  readonly routingTargets: readonly RoutingTarget[];
  readonly automatic: Pick<CertificateAutomation, "enabled" | "issuer" | "challenge">;
  readonly proxy: { readonly enabled: boolean; readonly rangesVersion: string };
}

/** The lease by which the scheduler shows that it runs. */
export const SCHEDULER_LEASE = "scheduler";

export async function domainCapability(
  ports: Pick<ClaimPorts, "store" | "certificates" | "edge" | "clock" | "timers" | "domains">,
): Promise<DomainCapability> {
  const { domains } = ports;
  const { ready, enabled: ordering, issuer, challenge } = await ports.certificates.automation();
  const controlReady = ready && (await schedulerRuns(ports));
  const routingEnabled = domains.targets.length > 0;
  const enabled = domains.on && controlReady && routingEnabled;
  return {
    status: enabled ? "ready" : domains.on ? "not_ready" : "disabled",
    enabled,
    controlReady,
    routingEnabled,
    routingTargets: domains.targets,
    automatic: { enabled: ordering, issuer, challenge },
    proxy: { enabled: domains.on, rangesVersion: ports.edge.version },
  };
}

// --- internal ---

/** The scheduler renews its lease within a second of its start and of a jump of the wall clock. */
const LEASE_WAIT_MS = 1500;
const POLL_INTERVAL_MS = 50;

async function schedulerRuns({
  store,
  clock,
  timers,
}: Pick<ClaimPorts, "store" | "clock" | "timers">): Promise<boolean> {
  for (let waited = 0; waited < LEASE_WAIT_MS; waited += POLL_INTERVAL_MS) {
    if (await store.jobs.isLeased(SCHEDULER_LEASE, clock.now())) return true;
    await timers.wait(POLL_INTERVAL_MS);
  }
  return store.jobs.isLeased(SCHEDULER_LEASE, clock.now());
}
