import { agentName } from "../domain/agents/client-document.ts";
import { countCharacters } from "../domain/characters.ts";
import { requireDuration } from "../domain/duration.ts";
import { fieldError } from "../domain/errors.ts";
import { MAX_ORIGIN_LENGTH } from "../domain/model/deployment.ts";
import { MAX_PREVIEW_LIFETIME, MIN_PREVIEW_LIFETIME } from "../domain/model/preview.ts";
import { MAX_SITE_LIFETIME_MS, MIN_SITE_LIFETIME_MS } from "../domain/model/site-expiry.ts";
import type { DeployRequest } from "../domain/ports/store/deployments.ts";
import { isPrintable } from "../domain/printable.ts";

/** Reads the headers of POST /deploy. Throws `validation` for an invalid value. */
export function readDeployHeaders(headers: Headers): DeployRequest {
  const alias = readAlias(headers.get("x-service-alias"));
  const isPreview = !readYesNo(headers, "X-Service-Activate", alias === null);
  return {
    siteName: headers.get("x-service-site"),
    isPreview,
    alias,
    lifetime: readLifetime(headers.get("x-service-expires"), isPreview || alias !== null),
    siteLifetime: readSiteLifetime(headers.get("x-service-site-expires")),
    ...readAccess(headers.get("x-service-access")),
    onlyIfChanged: readYesNo(headers, "X-Service-If-Changed", false),
    origin: {
      message: readOrigin(headers, "X-Service-Message"),
      commit: readOrigin(headers, "X-Service-Commit"),
      ref: readOrigin(headers, "X-Service-Ref"),
    },
  };
}

/** Returns the name of the program that deploys for a person, as it gives it; null for none. */
export function readAgentName(headers: Headers): string | null {
  const name = readOrigin(headers, "X-Service-Agent");
  return name === null ? null : agentName(name);
}

const ENCODED = `One line of percent-encoded UTF-8, up to ${MAX_ORIGIN_LENGTH} characters.`;

/** The same headers as parameters of the OpenAPI document. */
export const DEPLOY_HEADERS = [
  header("X-Service-Site", "The site to deploy to; a deployment token must send its own site's name"),
  header(
    "X-Service-Access",
    "`private` publishes and protects the site in one step. `public` makes a new site public whatever the server's default is; for a private site it is refused",
    ["private", "public"],
  ),
  header(
    "X-Service-If-Changed",
    "`yes` makes no deployment when all files are those of the active one: the response is 200 with `unchanged: true`",
    ["yes", "no"],
  ),
  header(
    "X-Service-Activate",
    "`no` makes a preview: the deployment has its own URL, and the site stays as it is. `no` is the default with an alias",
    ["yes", "no"],
  ),
  header(
    "X-Service-Alias",
    "Points this alias to the deployment, such as `pr-12` or a branch. It becomes one DNS label: lower case, with hyphens for all but a-z and 0-9. May be percent-encoded UTF-8",
  ),
  header("X-Service-Expires", "When preview and alias expire, from 1h to 365d; by default as the site's policy says"),
  header(
    "X-Service-Site-Expires",
    "When a site that this deployment makes expires, from 1h to 365d; without effect on a site that exists",
  ),
  header("X-Service-Message", `Why the deployment is made; shown in the history. ${ENCODED}`),
  header(
    "X-Service-Agent",
    `The name of a program that deploys for you, such as vitrine mcp; shown in the history and the audit log. ${ENCODED}`,
  ),
  header("X-Service-Commit", `The commit that is deployed; shown in the history. ${ENCODED}`),
  header("X-Service-Ref", `The branch or tag that is deployed; shown in the history. ${ENCODED}`),
];

// --- internal ---

/** If absent, the site's access stays, and a new site has the server's default. */
function readAccess(value: string | null): Pick<DeployRequest, "makePrivate" | "makePublic"> {
  if (value === null || value === "private") return { makePrivate: value !== null };
  if (value === "public") return { makePrivate: false, makePublic: true };
  throw fieldError(["header", "X-Service-Access"], "Send private or public, or leave the header out", "literal_error");
}

function readYesNo(headers: Headers, name: string, standard: boolean): boolean {
  const value = headers.get(name) ?? (standard ? "yes" : "no");
  if (value === "yes" || value === "no") return value === "yes";
  throw fieldError(["header", name], "Send yes or no, or leave the header out", "literal_error");
}

/** Branch names are UTF-8. A name that is not percent-encoded is taken literally. */
function readAlias(value: string | null): string | null {
  if (value === null) return null;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function readLifetime(value: string | null, mayExpire: boolean): number | null {
  if (value === null) return null;
  const loc = ["header", "X-Service-Expires"];
  if (!mayExpire)
    throw fieldError(loc, "Send X-Service-Activate: no or X-Service-Alias with it: a live deployment does not expire");
  return requireDuration(value, { loc, min: MIN_PREVIEW_LIFETIME, max: MAX_PREVIEW_LIFETIME });
}

function readSiteLifetime(value: string | null): number | null {
  if (value === null) return null;
  const loc = ["header", "X-Service-Site-Expires"];
  return requireDuration(value, { loc, min: MIN_SITE_LIFETIME_MS, max: MAX_SITE_LIFETIME_MS });
}

function readOrigin(headers: Headers, name: string): string | null {
  const value = decodeHeader(name, headers.get(name) ?? "");
  if (countCharacters(value) > MAX_ORIGIN_LENGTH) {
    throw fieldError(["header", name], `Send at most ${MAX_ORIGIN_LENGTH} characters`, "string_too_long");
  }
  if (!isPrintable(value)) throw fieldError(["header", name], "Send one line of text without control characters");
  return value === "" ? null : value;
}

/** Headers have no defined encoding, so other characters than ASCII arrive differently from each client. */
function decodeHeader(name: string, value: string): string {
  try {
    if (/^[\x20-\x7e]*$/.test(value)) return decodeURIComponent(value);
  } catch {
    // The error is thrown below.
  }
  throw fieldError(["header", name], "Send percent-encoded UTF-8", "string_unicode");
}

function header(name: string, description: string, values?: string[]) {
  return {
    name,
    in: "header" as const,
    required: false,
    description,
    schema: { type: "string" as const, ...(values ? { enum: values } : {}) },
  };
}
