import { systemSecrets } from "../adapters/secrets.ts";
import type { Config } from "../config.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Store } from "../domain/ports/store.ts";
import type { ViewRecorder } from "../domain/views/record-views.ts";
import { countViews } from "../hosting/count-views.ts";
import { makeGate } from "../hosting/gate.ts";
import { type Hosting, makeHosting } from "../hosting/hosting.ts";
import type { HostingPorts } from "../hosting/ports.ts";
import type { Watching } from "./watching.ts";

interface Parts {
  readonly config: Config;
  readonly store: Store;
  readonly blobs: HostingPorts["blobs"];
  readonly clock: Clock;
  readonly watching: Watching;
  readonly recorder: ViewRecorder;
  readonly report: HostingPorts["report"];
}

/** Plugs hosting into a serving thread. */
export function composeHosting({ config, store, blobs, clock, watching, recorder, report }: Parts): Hosting {
  const ports: HostingPorts = {
    store,
    blobs: watching.measuredContent(blobs),
    clock,
    gate: makeGate({ store, clock, secrets: systemSecrets }, config.baseUrl),
    views: watching.measured(countViews(recorder)),
    report,
  };
  return makeHosting(ports, {
    sitesDomain: config.sitesDomain,
    scheme: new URL(config.baseUrl).protocol.slice(0, -1),
    cacheBytes: config.cacheBytes / config.workers,
  });
}
