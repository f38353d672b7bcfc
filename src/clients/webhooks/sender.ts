import type { WebhookSender } from "../../domain/ports/webhooks.ts";
import { type GuardOptions, guardedClient } from "../http/guarded.ts";

const TIME_LIMIT_MS = 15_000;

/** Only the status of a response is used; this much of the body is read, so that the server can finish it. */
const MAX_RESPONSE_BYTES = 8 * 1024;

/** The time limit is shorter in tests only. */
export type SenderOptions = Omit<GuardOptions, "timeLimit"> & Partial<Pick<GuardOptions, "timeLimit">>;

/** Sends webhooks through the guarded client. */
export function socketSender(options: SenderOptions): WebhookSender {
  const { refusal, send } = guardedClient({ timeLimit: TIME_LIMIT_MS, ...options });
  return {
    refusal,
    async send({ url, headers, body }, signal) {
      const message = { headers: { "Content-Type": "application/json", ...headers }, body };
      const response = await send(new URL(url), { method: "POST", ...message, maxBytes: MAX_RESPONSE_BYTES }, signal);
      return response.statusCode === null ? response : { statusCode: response.statusCode, error: null };
    },
  };
}
