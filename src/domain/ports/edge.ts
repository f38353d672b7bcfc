/** The published address ranges of the edge. */
export interface EdgeRanges {
  /** The version of the list: the date of the built-in one, or a digest of the operator's. */
  readonly version: string;
  /** Returns whether an IP address in canonical form belongs to the edge. */
  covers(address: string): boolean;
}

export interface ProbeRequest {
  /** The IP address to connect to; no name is resolved. */
  readonly address: string;
  readonly scheme: "http" | "https";
  /** Sent as Host without a port and, over HTTPS, as SNI. */
  readonly hostname: string;
  readonly path: string;
}

/** The result of one request. Redirects are reported, never followed. */
export type ProbeResult = ProbeResponse | ProbeFailure;

export interface ProbeResponse {
  readonly kind: "answered";
  readonly address: string;
  readonly statusCode: number;
  /** The beginning of the body, as text. */
  readonly body: string;
  readonly location: string | null;
  /** `CF-Ray` and `CF-Cache-Status`. */
  readonly ray: string | null;
  readonly cacheStatus: string | null;
  /** Over HTTPS: why the certificate is not trusted for the hostname; null if it is, and over HTTP. */
  readonly certificateError: string | null;
  /** Over HTTPS: whether the certificate contains the hostname, trusted or not. */
  readonly certificateNamesHost: boolean;
}

export interface ProbeFailure {
  /**
   * `refused`: the address is private and was not contacted. `tls`: the TLS handshake failed. `malformed`: no HTTP
   * response came.
   */
  readonly kind: "refused" | "connect" | "tls" | "timeout" | "malformed";
  readonly address: string;
  readonly reason: string;
}

/** Requests a path of a public name like a visitor, without trusting the response. */
export interface Prober {
  /** One GET, at most 5 seconds and 64 kB. Never rejects because of the peer. */
  probe(request: ProbeRequest, signal: AbortSignal): Promise<ProbeResult>;
}
