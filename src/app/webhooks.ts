import { makeLinks } from "../api/links.ts";
import { systemTimers } from "../clients/system/timers.ts";
import { socketSender } from "../clients/webhooks/sender.ts";
import type { Config } from "../config/settings.ts";
import { VERSION } from "../config/version.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Log } from "../domain/ports/log.ts";
import type { Store } from "../domain/ports/store.ts";
import type { WebhookSender } from "../domain/ports/webhooks.ts";
import type { Job } from "../jobs/job.ts";
import { webhookJobs } from "../jobs/webhooks.ts";

/** Returns what sends webhooks, guarded as the settings say. */
export function webhookSender({ allowPrivateWebhooks }: Config): WebhookSender {
  return socketSender({ allowPrivate: allowPrivateWebhooks, userAgent: `Vitrine/${VERSION.version}` });
}

/** Returns the webhook that the settings name for the operator; null without one. */
export function operatorWebhook({ operatorWebhook: url, operatorWebhookSecret: secret }: Config) {
  return url === null || secret === null ? null : { url, secret };
}

/** Plugs the jobs of webhooks together. */
export function deliverWebhooks(config: Config, ports: { store: Store; clock: Clock; log: Log }): Job[] {
  const addresses = makeLinks(config.baseUrl, config.sitesDomain);
  return webhookJobs({
    ...ports,
    sender: webhookSender(config),
    // The operator's address is the operator's own choice.
    operatorSender: webhookSender({ ...config, allowPrivateWebhooks: true }),
    addresses,
    timers: systemTimers,
    random: Math.random,
  });
}
