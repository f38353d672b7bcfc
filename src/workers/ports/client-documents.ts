import { fetchedClientDocuments } from "../../clients/agents/client-documents.ts";
import { guardedClient } from "../../clients/http/guarded.ts";
import type { Config } from "../../config/settings.ts";
import { VERSION } from "../../config/version.ts";
import type { ClientDocuments } from "../../domain/ports/client-documents.ts";
import type { Clock } from "../../domain/ports/system.ts";

/** Short, because a person waits for the page. */
const TIME_LIMIT_MS = 5000;

/** Returns the documents of agents, fetched with the guard of webhooks. */
export function clientDocuments(
  { allowPrivateWebhooks }: Pick<Config, "allowPrivateWebhooks">,
  clock: Clock,
): ClientDocuments {
  const userAgent = `Vitrine/${VERSION.version}`;
  const guard = guardedClient({ allowPrivate: allowPrivateWebhooks, userAgent, timeLimit: TIME_LIMIT_MS });
  return fetchedClientDocuments(guard, clock);
}
