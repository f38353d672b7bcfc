import { Type as t } from "@sinclair/typebox";
import {
  type ChangeCounts,
  countChanges,
  type DeploymentChanges,
  type DeploymentWithChanges,
} from "../../domain/deployments/changes.ts";
import type { FilePage } from "../../domain/deployments/files.ts";
import type { Deployment } from "../../domain/model/deployment.ts";
import type { OfSite } from "../../domain/model/site.ts";
import type { Published } from "../../domain/ports/store/deployments.ts";
import { isServed } from "../../domain/rules/clean-urls.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { encodePath } from "../../domain/url-text.ts";
import { contentType } from "../../serving/http/content-type.ts";
import type { Links } from "./links.ts";
import { Moment, momentOrNull, namedSchema, oneOf, orNull, TextOrNull } from "./values.ts";

const Warning = t.Object({ file: t.String(), line: t.Integer(), message: t.String() });

export const DeploySiteResponse = namedSchema(
  "DeploySiteResponse",
  {
    deployment_number: t.Integer(),
    name: t.String(),
    site_name: t.String(),
    private: t.Boolean(),
    url: t.String({ description: "The site's URL" }),
    active: t.Boolean({ description: "Whether this is the deployment that visitors of the site get" }),
    deployment_url: t.String({ description: "The deployment's own URL, which never changes" }),
    alias: orNull(t.String(), { description: "The DNS label of the alias that points to it, where one was asked for" }),
    alias_url: TextOrNull,
    expires_at: orNull(Moment, { description: "When the preview, or the alias, expires; null where it does not" }),
    warnings: t.Optional(
      t.Array(Warning, { description: "Only about the request, such as a former name of the site" }),
    ),
    unchanged: t.Optional(
      t.Literal(true, { description: "No deployment was made: the active one, which this is, has the same files" }),
    ),
  },
  {
    deployment_number: 3,
    name: "brisk-otter-4821",
    site_name: "brisk-otter-4821",
    private: false,
    url: "https://brisk-otter-4821.example.com",
    active: false,
    deployment_url: "https://3--brisk-otter-4821.example.com",
    alias: "pr-12",
    alias_url: "https://pr-12--brisk-otter-4821.example.com",
    expires_at: "2026-12-20T16:05:12.418Z",
  },
);

export function deploySiteResponse(
  links: Links,
  { outcome, site, deployment, alias }: Published,
  requestedName: string | null,
): typeof DeploySiteResponse.static {
  const isRenamed = requestedName !== null && requestedName !== site.name;
  return {
    deployment_number: deployment.number,
    name: site.name,
    site_name: site.name,
    private: site.private,
    url: links.site(site.name),
    active: deployment.active,
    deployment_url: links.deployment(site.name, deployment.number),
    alias: alias?.name ?? null,
    alias_url: alias && links.alias(site.name, alias.name),
    expires_at: momentOrNull(alias?.expiresAt ?? deployment.expiresAt),
    ...(isRenamed ? { warnings: [formerNameWarning(requestedName, site.name)] } : {}),
    ...(outcome === "unchanged" ? { unchanged: true as const } : {}),
  };
}

function formerNameWarning(former: string, name: string): typeof Warning.static {
  const message = `the site ${former} is called ${name} now: use the new name, because the former one will be free again`;
  return { file: "", line: 0, message };
}

const comparedWith = orNull(t.Integer(), {
  description:
    "For a preview the active deployment, else the one before it that was ever active; null where there is none",
});

const counts = { added: t.Integer(), changed: t.Integer(), removed: t.Integer(), unchanged: t.Integer() };

export const SiteDeploymentResponse = namedSchema(
  "SiteDeploymentResponse",
  {
    site_name: t.String(),
    deployment_number: t.Integer(),
    active: t.Boolean(),
    created_at: Moment,
    activated_at: orNull(Moment, { description: "Null for a preview, which was never activated" }),
    expires_at: orNull(Moment, { description: "When a preview is deleted; null for other deployments" }),
    source: oneOf(["session", "deployment_token"]),
    actor: t.String({ description: "The login, or the deployment token's name" }),
    agent: orNull(t.String(), { description: "The name of the program that made it over MCP; null for all others" }),
    file_count: t.Integer(),
    size_bytes: t.Integer(),
    url: t.String({ description: "The deployment's own URL, which never changes" }),
    warnings: t.Array(Warning),
    start_page_gone: t.Boolean({
      description: "Whether visitors of the site's URL get a 404 page with it, and got a page with the one before it",
    }),
    message: TextOrNull,
    commit: TextOrNull,
    ref: TextOrNull,
    changes: t.Optional(
      orNull(t.Object({ compared_with: comparedWith, ...counts }), {
        description: "Only with `include=changes`: how many files differ from `compared_with`; null over 10,000 files",
      }),
    ),
  },
  {
    site_name: "brisk-otter-4821",
    deployment_number: 3,
    active: true,
    created_at: "2026-11-20T16:05:12.418Z",
    activated_at: "2026-11-20T16:05:12.418Z",
    expires_at: null,
    source: "session",
    actor: "ada",
    agent: null,
    file_count: 42,
    size_bytes: 48213,
    url: "https://3--brisk-otter-4821.example.com",
    warnings: [],
    start_page_gone: false,
    message: "Fix the typo",
    commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
    ref: "refs/heads/main",
  },
);

export function siteDeploymentResponse(
  links: Links,
  deployment: OfSite<Deployment>,
): typeof SiteDeploymentResponse.static {
  return {
    site_name: deployment.siteName,
    deployment_number: deployment.number,
    active: deployment.active,
    created_at: timestamp(deployment.createdAt),
    activated_at: momentOrNull(deployment.activatedAt),
    expires_at: momentOrNull(deployment.expiresAt),
    source: deployment.source,
    actor: deployment.actor,
    agent: deployment.agent?.name ?? null,
    file_count: deployment.fileCount,
    size_bytes: deployment.sizeBytes,
    url: links.deployment(deployment.siteName, deployment.number),
    warnings: [...deployment.warnings],
    start_page_gone: deployment.startPageGone,
    message: deployment.message,
    commit: deployment.commit,
    ref: deployment.ref,
  };
}

/** A deployment in a list with `include=changes`. */
export function deploymentWithChangesResponse(
  links: Links,
  { deployment, changes }: DeploymentWithChanges,
): typeof SiteDeploymentResponse.static {
  return { ...siteDeploymentResponse(links, deployment), changes: changes && countsResponse(changes) };
}

function countsResponse({ comparedWith: compared_with, added, changed, removed, unchanged }: ChangeCounts) {
  return { compared_with, added, changed, removed, unchanged };
}

export const DeploymentChangesResponse = namedSchema(
  "DeploymentChangesResponse",
  {
    deployment_number: t.Integer(),
    compared_with: comparedWith,
    ...counts,
    files: t.Array(
      t.Object({
        path: t.String(),
        change: oneOf(["added", "changed", "removed"]),
      }),
    ),
  },
  {
    deployment_number: 3,
    compared_with: 2,
    added: 1,
    changed: 1,
    removed: 0,
    unchanged: 40,
    files: [
      { path: "blog/hello.html", change: "added" },
      { path: "index.html", change: "changed" },
    ],
  },
);

/** Enough for users; a list of 50,000 files would be megabytes. */
const MAX_LISTED_CHANGES = 500;

export function deploymentChangesResponse(
  deploymentNumber: number,
  changes: DeploymentChanges,
): typeof DeploymentChangesResponse.static {
  return {
    deployment_number: deploymentNumber,
    ...countsResponse(countChanges(changes)),
    files: changes.files.slice(0, MAX_LISTED_CHANGES),
  };
}

export const DeploymentFilesResponse = namedSchema(
  "DeploymentFilesResponse",
  {
    entries: t.Array(
      t.Object({
        path: t.String({ description: "Of a folder with a slash at its end" }),
        size_bytes: t.Integer(),
        file_count: t.Integer({ description: "1 for a file" }),
        type: orNull(t.String(), { description: "The media type that visitors get; null for a folder" }),
        url: orNull(t.String(), { description: "Null for a folder, and for a file that is never served" }),
      }),
    ),
    next: orNull(t.String(), { description: "`after` of the next page; null on the last one" }),
  },
  {
    entries: [
      { path: "assets/", size_bytes: 40123, file_count: 7, type: null, url: null },
      {
        path: "index.html",
        size_bytes: 2048,
        file_count: 1,
        type: "text/html; charset=utf-8",
        url: "https://3--brisk-otter-4821.example.com/index.html",
      },
    ],
    next: null,
  },
);

export function deploymentFilesResponse(
  links: Links,
  number: number,
  { siteName, entries, next }: FilePage,
): typeof DeploymentFilesResponse.static {
  const deploymentUrl = links.deployment(siteName, number);
  return { entries: entries.map((entry) => fileEntryResponse(deploymentUrl, entry)), next };
}

function fileEntryResponse(deploymentUrl: string, { path, size, files }: FilePage["entries"][number]) {
  const isFolder = path.endsWith("/");
  return {
    path,
    size_bytes: size,
    file_count: files,
    type: isFolder ? null : contentType(path),
    url: isFolder || !isServed(path) ? null : deploymentUrl + encodePath(`/${path}`),
  };
}

/** Names a deployment in an audit summary. Records of early versions have no number. */
export function deploymentOf({ deployment_number: number }: Readonly<Record<string, string | undefined>>): string {
  return number === undefined ? "a deployment" : `deployment ${number}`;
}
