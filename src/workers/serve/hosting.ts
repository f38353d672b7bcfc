import { createPasswords } from "../../clients/identity/passwords.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { ratesInForce } from "../../config/policies.ts";
import type { Config } from "../../config/settings.ts";
import type { ViewRecorder } from "../../domain/analytics/record-views.ts";
import type { Store } from "../../domain/ports/store.ts";
import type { Clock } from "../../domain/ports/system.ts";
import { passwordTurns } from "../../domain/shares/enter.ts";
import { makeGate } from "../../serving/gate.ts";
import { type Hosting, makeHosting } from "../../serving/hosting.ts";
import { setBrand } from "../../serving/pages/brand.ts";
import type { HostingPorts } from "../../serving/ports.ts";
import { countViews } from "../../serving/visit.ts";
import type { Watching } from "./watching.ts";

interface Parts {
  readonly config: Config;
  readonly store: Store;
  readonly content: HostingPorts["content"];
  readonly clock: Clock;
  readonly watching: Watching;
  readonly recorder: ViewRecorder;
  readonly throttle: HostingPorts["throttle"];
  readonly permit: HostingPorts["permit"];
  readonly report: HostingPorts["report"];
}

/** Connects hosting in a serving thread. */
export function composeHosting(parts: Parts): Hosting {
  const { config, watching } = parts;
  const { brandName: name, brandColor: color, brandLogo: logo, brandContact: contact } = config;
  setBrand({ name, color, logo, contact });
  const ports: HostingPorts = {
    ...parts,
    content: watching.measuredContent(parts.content),
    countHit: watching.countHit,
    gate: makeGate(gatePorts(parts), config.baseUrl),
    views: watching.measured(countViews(parts.recorder)),
  };
  return makeHosting(ports, {
    sitesDomain: config.sitesDomain,
    scheme: new URL(config.baseUrl).protocol.slice(0, -1),
    cacheBytes: config.cacheBytes / config.workers,
    graceMs: config.grace,
  });
}

// --- internal ---

function gatePorts({ config, store, clock }: Parts) {
  const passwords = createPasswords();
  return {
    store,
    clock,
    secrets: systemSecrets,
    passwords,
    passwordTurns: passwordTurns(),
    rates: ratesInForce(config),
  };
}
