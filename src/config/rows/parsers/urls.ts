import { resolve } from "node:path";
import {
  type BackupDestination,
  parseS3Url,
  S3_SCHEME,
  type S3Destination,
} from "../../../domain/backups/destination.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "../../../domain/database-url.ts";
import { messageOf } from "../../../domain/error-message.ts";
import { parser, Unusable } from "./parser.ts";

/** One base URL: scheme, host and port; returned without a trailing slash, and without a trailing dot of the host. */
export const origin = parser<string>("URL", (value) => {
  const url = URL.parse(value);
  const bare = url && url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
  if (!bare || !isWebUrl(url)) throw new Unusable("a URL without a path, such as https://pages.example.org");
  url.hostname = url.hostname.replace(/\.$/, "");
  return url.origin;
});

export const webUrl = parser<string>("URL", (value) => {
  const url = URL.parse(value);
  if (!url || !isWebUrl(url)) throw new Unusable("a URL that begins with https://");
  return value;
});

/** The URL of a token issuer, without trailing slashes: HTTPS, or plain HTTP for loopback. */
export const issuer = parser<string>("URL", (value) => {
  const url = URL.parse(value);
  const isLoopback = url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback);
  if (!isSafe || /[?#]/.test(value)) throw new Unusable("URLs that begin with https://, such as https://gitlab.com");
  return value.replace(/\/+$/, "");
});

/** The URL of a PostgreSQL database. */
export const databaseUrl = parser<DatabaseUrl>("URL", (value) => {
  try {
    return Object.freeze(parseDatabaseUrl(value));
  } catch (error) {
    throw new Unusable(messageOf(error));
  }
});

/** A bucket of S3, or the part of it below a prefix. */
export const s3Url = parser<S3Destination>("URL", (value) => {
  const destination = parseS3Url(value);
  if (typeof destination === "string") throw new Unusable(destination);
  return Object.freeze(destination);
});

/** A folder, or a URL in S3. */
export const backupDestination = parser<BackupDestination>("PLACE", (value, folder) => {
  if (value.startsWith(S3_SCHEME)) return s3Url(value, folder);
  return Object.freeze({ kind: "folder", path: resolve(folder, value) });
});

// --- internal ---

function isWebUrl(url: URL): boolean {
  return (url.protocol === "https:" || url.protocol === "http:") && url.hostname !== "";
}
