/** The published address ranges of the edge. */
export interface EdgeRanges {
  /** Names the list: the date of the built-in one, or a digest of the operator's. */
  readonly version: string;
  /** Tells whether an address in canonical text belongs to the edge. */
  covers(address: string): boolean;
}

export interface ProbeRequest {
  /** The address to connect to, as resolved: nothing is looked up again. */
  readonly address: string;
  readonly scheme: "http" | "https";
  /** Sent as Host without a port and, over HTTPS, as SNI. */
  readonly hostname: string;
  readonly path: string;
}

/** What came of one request. Redirects are reported, never followed. */
export type ProbeResult = ProbeAnswer | ProbeFailure;

export interface ProbeAnswer {
  readonly kind: "answered";
  readonly address: string;
  readonly statusCode: number;
  /** The beginning of the content, as text. */
  readonly body: string;
  readonly location: string | null;
  /** `CF-Ray` and `CF-Cache-Status`. */
  readonly ray: string | null;
  readonly cacheStatus: string | null;
  /** Over HTTPS: why the certificate is not trusted for the hostname; null when it is, and over HTTP. */
  readonly certificateError: string | null;
  /** Over HTTPS: whether the certificate names the hostname, trusted or not. */
  readonly certificateNamesHost: boolean;
}

export interface ProbeFailure {
  /** `refused`: the guard against private addresses did not let it out. `tls`: no TLS session came about. */
  readonly kind: "refused" | "connect" | "tls" | "timeout" | "nonsense";
  readonly address: string;
  readonly reason: string;
}

/** Asks a public name for a path the way a visitor would, without trusting anything that comes back. */
export interface Prober {
  /** One GET, at most 5 seconds and 64 kB. Never rejects because of what the other side does. */
  probe(request: ProbeRequest, signal: AbortSignal): Promise<ProbeResult>;
}
