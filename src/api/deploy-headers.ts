import { countCharacters } from "../domain/characters.ts";
import type { DeployRequest } from "../domain/deployments/deploy.ts";
import { MAX_ORIGIN_LENGTH } from "../domain/deployments/deployment.ts";
import { fieldError } from "../domain/errors.ts";

/** Returns what the headers of POST /deploy ask for. Throws `validation` for a value that is not one of theirs. */
export function readDeployHeaders(headers: Headers): Omit<DeployRequest, "address"> {
  return {
    siteName: headers.get("x-service-site"),
    makePrivate: readAccess(headers.get("x-service-access")),
    onlyIfChanged: readIfChanged(headers.get("x-service-if-changed")),
    origin: {
      message: readOrigin(headers, "X-Service-Message"),
      commit: readOrigin(headers, "X-Service-Commit"),
      ref: readOrigin(headers, "X-Service-Ref"),
    },
  };
}

const ENCODED = `Percent-encoded UTF-8, up to ${MAX_ORIGIN_LENGTH} characters.`;

/** The same headers as parameters of the OpenAPI document. */
export const DEPLOY_HEADERS = [
  header("X-Service-Site", "The site to deploy to; a deployment token must send its own site's name"),
  header("X-Service-Access", "`private` publishes and protects the site in one step", ["private"]),
  header(
    "X-Service-If-Changed",
    "`yes` makes no deployment when all files are those of the active one: the answer is 200 with `unchanged: true`",
    ["yes", "no"],
  ),
  header("X-Service-Message", `Why the deployment is made; shown in the history. ${ENCODED}`),
  header("X-Service-Commit", `The commit that is deployed; shown in the history. ${ENCODED}`),
  header("X-Service-Ref", `The branch or tag that is deployed; shown in the history. ${ENCODED}`),
];

// --- internal ---

/** Absent keeps the site as it is. Anything but `private` could only be a misunderstanding. */
function readAccess(value: string | null): boolean {
  if (value === null) return false;
  if (value === "private") return true;
  throw fieldError(["header", "X-Service-Access"], "Send private, or leave the header out", "literal_error");
}

function readIfChanged(value: string | null): boolean {
  if (value === null || value === "no") return false;
  if (value === "yes") return true;
  throw fieldError(["header", "X-Service-If-Changed"], "Send yes or no, or leave the header out", "literal_error");
}

function readOrigin(headers: Headers, name: string): string | null {
  const value = decodeHeader(name, headers.get(name) ?? "");
  if (countCharacters(value) > MAX_ORIGIN_LENGTH) {
    throw fieldError(["header", name], `Send at most ${MAX_ORIGIN_LENGTH} characters`, "string_too_long");
  }
  return value === "" ? null : value;
}

/** Headers have no encoding of their own: what is not ASCII arrives differently from each client. */
function decodeHeader(name: string, value: string): string {
  try {
    if (/^[\x20-\x7e]*$/.test(value)) return decodeURIComponent(value);
  } catch {
    // Below.
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
