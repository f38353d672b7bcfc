import type { DomainClaim } from "../../../api/types.ts";
import type { IconName } from "../../../parts/icons.tsx";

interface Connection {
  readonly icon: IconName;
  readonly tone: "good" | "warn" | "accent";
  readonly words: string;
}

/** The label of a domain's state, with its shape and colour. */
export const CONNECTIONS: Readonly<Record<DomainClaim["connection_status"], Connection>> = {
  waiting_for_dns: { icon: "clock", tone: "accent", words: "Waiting for DNS" },
  securing: { icon: "clock", tone: "accent", words: "Issuing certificate" },
  connected: { icon: "check", tone: "good", words: "Connected" },
  updating: { icon: "refresh", tone: "accent", words: "Updating" },
  action_needed: { icon: "warning", tone: "warn", words: "Needs attention" },
};
