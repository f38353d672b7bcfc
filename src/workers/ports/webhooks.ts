import { socketSender } from "../../clients/webhooks/sender.ts";
import type { Config } from "../../config/settings.ts";
import { VERSION } from "../../config/version.ts";
import type { WebhookSender } from "../../domain/ports/webhooks.ts";

/** Returns the sender of webhooks, with the guard in the settings. */
export function webhookSender({ allowPrivateWebhooks }: Pick<Config, "allowPrivateWebhooks">): WebhookSender {
  return socketSender({ allowPrivate: allowPrivateWebhooks, userAgent: `Vitrine/${VERSION.version}` });
}
