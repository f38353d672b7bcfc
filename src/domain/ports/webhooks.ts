/** A signed delivery attempt. */
interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** The status of the response, or the reason why there was none. Nothing else of a response is stored. */
export type WebhookResponse =
  | { readonly statusCode: number; readonly error: null }
  | { readonly statusCode: null; readonly error: string };

/** Sends webhooks to untrusted URLs. */
export interface WebhookSender {
  /**
   * Returns why a URL can never receive deliveries, as the end of a sentence about it; null if that depends on a lookup
   * of its name.
   */
  refusal(url: URL): string | null;

  /**
   * One POST, at most 15 seconds. The name is resolved once, and the connection goes to an address that passed the
   * check for private addresses. Redirects are not followed. Never rejects because of the receiver.
   */
  send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookResponse>;
}
