/** Messages between the nodes of a cluster about what each has used of the rates that are counted in memory. */
export interface RateExchange {
  /** The maximum length of a message, in characters. */
  readonly maxLength: number;

  /** Returns a random number below 2^32 that all nodes share. Outsiders must not learn it. */
  seed(): Promise<number>;

  /** Sends an ASCII message to all nodes, this one included. It may be lost. */
  send(message: string): Promise<void>;

  /** Calls `listener` with each message. Returns a function that stops this. */
  receive(listener: (message: string) => void): () => void;
}
