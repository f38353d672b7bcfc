import type { S3Destination } from "../../domain/backups/destination.ts";

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Returns the URL of an object, or of the bucket for an empty key. */
export function urlOf({ bucket, endpoint, virtualHost }: S3Destination, key: string): URL {
  const url = new URL(endpoint);
  const base = url.pathname.replace(/\/$/, "");
  const path = key.split("/").map(encodeSegment).join("/");
  if (virtualHost) {
    url.host = `${bucket}.${url.host}`;
    url.pathname = `${base}/${path}`;
  } else {
    url.pathname = `${base}/${bucket}/${path}`;
  }
  return url;
}

/** Signatures cover the encoded path, and every other character must be encoded (RFC 3986). */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
