/** What people read instead of the codes of connections that failed: the same words wherever one does. */
export const CONNECTION_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection broken off",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ETIMEDOUT: "no answer in time",
};
