/** One attempt to deliver, signed and ready to go. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** What the receiver answered, or in words why no answer came. Nothing of an answer but its status is kept. */
export type WebhookAnswer =
  | { readonly statusCode: number; readonly error: null }
  | { readonly statusCode: null; readonly error: string };

/** Sends webhooks without trusting whoever named the address. */
export interface WebhookSender {
  /**
   * Returns why an address can never be delivered to, as the end of a sentence about it; null where only a look-up of
   * its name could tell.
   */
  refusal(url: URL): string | null;

  /**
   * One POST, at most 15 seconds. The name is looked up once, and the connection goes to an address that passed the
   * guard against private ones. Redirects are not followed. Never rejects because of what the other side does.
   */
  send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer>;
}
