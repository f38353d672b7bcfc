/** What the former owner of a site set up: it ends with an operator's transfer, unless the operator keeps it. */
export const ENDED_BY_TRANSFER = ["tokens", "shares", "webhooks", "publishers"] as const;

export type EndedByTransfer = (typeof ENDED_BY_TRANSFER)[number];

/** How many of each a transfer ended. Tokens of CI runs are not counted: they end with their publisher or the tokens. */
export type Ended = Readonly<Record<EndedByTransfer, number>>;

export const NOTHING_ENDED: Ended = { tokens: 0, shares: 0, webhooks: 0, publishers: 0 };

/** Describes what was ended: `2 tokens, 1 share`; empty for nothing. */
export function describeEnded(ended: Ended): string {
  const parts = ENDED_BY_TRANSFER.filter((what) => ended[what] > 0);
  return parts.map((what) => `${ended[what]} ${ended[what] === 1 ? what.slice(0, -1) : what}`).join(", ");
}
