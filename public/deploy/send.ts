import type { Access } from "../../src/domain/model/site-policy.ts";
import { ApiError, call, detailOf, ownChange } from "../api/client.ts";
import { refresh } from "../api/resource.ts";
import type { Deployment, DeployResult, HostingCapability, Site } from "../api/types.ts";
import { count, formatBytes } from "../format.ts";
import type { Upload } from "./collect.ts";
import { zip } from "./zip.ts";

export interface PlannedDeployment {
  readonly upload: Upload;
  /** If empty, the server chooses a name. */
  readonly siteName: string;
  /** Null to leave the access to the server. */
  readonly access: Access | null;
  /** The reason for the deployment; empty for none. */
  readonly message: string;
  /** Null to publish the deployment. */
  readonly preview: PlannedPreview | null;
  /** True if the user was told that this creates a new site. */
  readonly mustBeNew: boolean;
}

interface PlannedPreview {
  /** Empty for a preview with its number alone. */
  readonly alias: string;
  /** In the API's format. */
  readonly lifetime: string;
}

/** Progress of a deployment; `share` is from 0 to 1, or null if unknown. */
export interface Progress {
  readonly step: "preparing" | "packing" | "sending" | "publishing";
  readonly share: number | null;
}

/**
 * Packs, uploads and publishes. Returns the new deployment with its warnings. Throws ApiError, or an AbortError if
 * `signal` ended it.
 */
export async function deploy(planned: PlannedDeployment, report: (progress: Progress) => void, signal: AbortSignal) {
  const { limits } = await call<HostingCapability>("GET", "/capabilities/hosting", undefined, signal);
  refuseTooLarge(planned.upload, limits);
  if (planned.mustBeNew) await refuseTaken(planned.siteName, signal);
  const archive = await archiveOf(planned.upload, report, signal);
  signal.throwIfAborted();
  if (archive.size > limits.archive_bytes) throw tooLarge("the archive", archive.size, limits.archive_bytes);
  const result = await ownChange(send(archive, planned, report, signal));
  refresh("/sites");
  const path = `/sites/${result.site_name}/deployments?limit=1&before=${result.deployment_number + 1}`;
  // The deployment succeeded even if its warnings cannot be loaded.
  const [deployment] = await call<Deployment[]>("GET", path).catch(() => []);
  return { ...result, deployment };
}

export function sizeOf(upload: Upload): number {
  return upload.kind === "archive" ? upload.file.size : upload.files.reduce((sum, { file }) => sum + file.size, 0);
}

/** Throws if a site of this name exists: the list on the page may be out of date. */
async function refuseTaken(siteName: string, signal: AbortSignal): Promise<void> {
  const sites = await call<Site[]>("GET", "/sites", undefined, signal);
  if (!sites.some(({ name }) => name === siteName)) return;
  await refresh("/sites");
  throw new ApiError(409, `You have a site named ${siteName} by now. Choose another name, or update that site.`);
}

/** Checks limits before the upload that the server would check after it. */
function refuseTooLarge(upload: Upload, limits: HostingCapability["limits"]): void {
  if (upload.kind === "archive") return;
  const size = sizeOf(upload);
  if (size > limits.site_bytes) throw tooLarge("the site", size, limits.site_bytes);
  if (upload.files.length > limits.files) {
    const most = count(limits.files, "file");
    throw new ApiError(413, `A site holds at most ${most}; this folder has ${count(upload.files.length, "file")}.`);
  }
}

function tooLarge(what: string, size: number, limit: number): ApiError {
  return new ApiError(413, `At ${formatBytes(size)} ${what} is larger than the ${formatBytes(limit)} allowed here.`);
}

async function archiveOf(upload: Upload, report: (progress: Progress) => void, signal: AbortSignal): Promise<Blob> {
  if (upload.kind === "archive") return upload.file;
  const total = Math.max(1, sizeOf(upload));
  let done = 0;
  report({ step: "packing", share: 0 });
  const packed = (bytes: number) => {
    done += bytes;
    report({ step: "packing", share: done / total });
  };
  return zip(upload.files, packed, signal);
}

const UNSENT = "The connection was lost. Nothing was published.";
const UNREADABLE = "The server's response could not be read. Check the site's history before you try again.";
const UNANSWERED = "The connection was lost before the server answered. Check the site's history before you try again.";

/** Returns the header fields of an upload. */
export function fieldsOf({
  siteName,
  access,
  message,
  preview,
}: Pick<PlannedDeployment, "siteName" | "access" | "message" | "preview">): Readonly<Record<string, string>> {
  return {
    ...(siteName === "" ? {} : { "X-Service-Site": siteName }),
    ...(access === null ? {} : { "X-Service-Access": access }),
    ...(message.trim() === "" ? {} : { "X-Service-Message": encodeURIComponent(message.trim()) }),
    ...(preview === null ? {} : fieldsOfPreview(preview)),
  };
}

function fieldsOfPreview({ alias, lifetime }: PlannedPreview): Readonly<Record<string, string>> {
  const name = alias.trim();
  return {
    ...(name === "" ? { "X-Service-Activate": "no" } : { "X-Service-Alias": encodeURIComponent(name) }),
    "X-Service-Expires": lifetime,
  };
}

/** Uses XMLHttpRequest, because `fetch` reports no upload progress. */
function send(archive: Blob, planned: PlannedDeployment, report: (progress: Progress) => void, signal: AbortSignal) {
  const body = new FormData();
  body.set("file", archive, "site.zip");
  const request = new XMLHttpRequest();
  request.open("POST", "/deploy");
  for (const [name, value] of Object.entries(fieldsOf(planned))) request.setRequestHeader(name, value);
  signal.addEventListener("abort", () => request.abort(), { once: true });
  let wasSent = false;
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    wasSent = loaded >= total;
    report(loaded < total ? { step: "sending", share: loaded / total } : { step: "publishing", share: null });
  });
  return new Promise<DeployResult>((resolve, reject) => {
    request.addEventListener("load", () => {
      try {
        resolve(resultOf(request.status, request.responseText));
      } catch (error) {
        reject(error);
      }
    });
    request.addEventListener("error", () => reject(new ApiError(0, wasSent ? UNANSWERED : UNSENT)));
    request.addEventListener("abort", () => reject(signal.reason));
    report({ step: "sending", share: 0 });
    request.send(body);
  });
}

/** Returns the result of an upload. Throws ApiError for a refusal or an unexpected response. */
export function resultOf(status: number, body: string): DeployResult {
  if (status !== 201) throw new ApiError(status, detailOf(body, status));
  try {
    return JSON.parse(body) as DeployResult;
  } catch {
    throw new ApiError(status, UNREADABLE);
  }
}
