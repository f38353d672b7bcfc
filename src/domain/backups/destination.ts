/** A bucket of S3, or the part of it below a prefix. */
export interface S3Destination {
  readonly kind: "s3";
  /** The original text. It contains no keys. */
  readonly url: string;
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly region: string;
  /** True if the bucket is part of the host and not of the path. */
  readonly virtualHost: boolean;
}

export type BackupDestination = { readonly kind: "folder"; readonly path: string } | S3Destination;

export const S3_SCHEME = "s3://";

/** The region of servers without regions. */
const STANDARD_REGION = "us-east-1";

/**
 * Parses `s3://bucket/prefix?endpoint=…&region=…&style=path|virtual`. Without an endpoint it is Amazon's. Returns the
 * problem as the end of a sentence that begins with "give".
 */
export function parseS3Url(text: string): S3Destination | string {
  const url = URL.parse(text);
  if (url?.protocol !== "s3:" || !/^[\w.-]{3,63}$/.test(url.hostname)) return USABLE;
  if (url.username !== "" || url.password !== "" || url.port !== "") return "the URL without keys";
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
  if (!/^[\w.-]*(\/[\w.-]+)*$/.test(prefix)) return "a prefix of letters, digits, -, _, . and /";
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) return `only ${PARAMETERS.join(", ")} after the ?`;
  const region = url.searchParams.get("region") ?? STANDARD_REGION;
  if (!/^[\w-]+$/.test(region)) return "a region such as eu-central-1";
  const given = url.searchParams.get("endpoint");
  const endpoint = given ?? `https://s3.${region}.amazonaws.com`;
  if (!isEndpoint(endpoint)) return "the endpoint as a URL that begins with https:// or http://";
  const style = url.searchParams.get("style") ?? (given === null ? "virtual" : "path");
  if (style !== "path" && style !== "virtual") return "style=path or style=virtual";
  return {
    kind: "s3",
    url: text,
    bucket: url.hostname,
    prefix: prefix === "" ? "" : `${prefix}/`,
    endpoint: endpoint.replace(/\/+$/, ""),
    region,
    virtualHost: style === "virtual",
  };
}

/** Returns whether two destinations can share their objects. */
export function shareObjects(one: S3Destination, other: S3Destination): boolean {
  const isSameBucket = one.bucket === other.bucket && one.endpoint === other.endpoint;
  return isSameBucket && (one.prefix.startsWith(other.prefix) || other.prefix.startsWith(one.prefix));
}

// --- internal ---

const USABLE = "a URL such as s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-central-1";

const PARAMETERS: readonly string[] = ["endpoint", "region", "style"];

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !["http:", "https:"].includes(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}
