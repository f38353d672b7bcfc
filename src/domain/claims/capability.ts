import type { CertificateAutomation } from "../ports/certificates.ts";
import type { ClaimPorts } from "./claim-ports.ts";
import type { RoutingTarget } from "./observation.ts";

/** What this server can do for custom domains at the moment. */
export interface DomainCapability {
  readonly status: "ready" | "disabled" | "not_ready";
  readonly enabled: boolean;
  /** Whether claims are looked after: the scheduler runs and, where certificates are ordered, orders can be placed. */
  readonly controlReady: boolean;
  /** Whether it is known which records lead here. */
  readonly routingEnabled: boolean;
  readonly routingTargets: readonly RoutingTarget[];
  readonly automatic: Pick<CertificateAutomation, "enabled" | "issuer" | "challenge">;
  readonly proxy: { readonly enabled: boolean; readonly rangesVersion: string };
}

/** The lease by which the scheduler shows that it runs. */
export const SCHEDULER_LEASE = "scheduler";

/** Returns the capability as it is now. */
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
const LEASE_PATIENCE = 1500;
const LOOK_EVERY = 50;

async function schedulerRuns({
  store,
  clock,
  timers,
}: Pick<ClaimPorts, "store" | "clock" | "timers">): Promise<boolean> {
  for (let waited = 0; waited < LEASE_PATIENCE; waited += LOOK_EVERY) {
    if (await store.jobs.isLeased(SCHEDULER_LEASE, clock.now())) return true;
    await timers.wait(LOOK_EVERY);
  }
  return store.jobs.isLeased(SCHEDULER_LEASE, clock.now());
}
