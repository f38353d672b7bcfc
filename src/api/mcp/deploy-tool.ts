import { Type as t } from "@sinclair/typebox";
import { deploy } from "../../domain/deployments/deploy.ts";
import { permitDeployment } from "../../domain/deployments/permit.ts";
import { DomainError } from "../../domain/errors.ts";
import { MAX_ORIGIN_LENGTH, NO_ORIGIN } from "../../domain/model/deployment.ts";
import type { Published } from "../../domain/ports/store/deployments.ts";
import { DAY } from "../../domain/timestamp.ts";
import { text } from "../schemas/text.ts";
import { momentOrNull, oneOf } from "../schemas/values.ts";
import { Site } from "./read-tools.ts";
import { type AgentCall, CREATES, tool } from "./tool.ts";

const MAX_FILES = 200;
const MAX_CONTENT_BYTES = 2.5 * 1024 * 1024;
const MAX_WARNINGS = 20;
const NEW_SITE_LIFETIME = 7 * DAY;

const File = t.Object({
  path: t.String({ description: "Relative, with / between folders", examples: ["index.html", "assets/logo.png"] }),
  content: t.String(),
  encoding: t.Optional(
    oneOf(["text", "base64"], { description: "base64 for pictures, fonts and the like; else text" }),
  ),
});

const EXAMPLE = {
  site: "brisk-otter-4821",
  alias: "new-header",
  message: "A shorter header",
  files: [
    { path: "index.html", content: "<!doctype html><title>Hello</title><h1>Hello</h1>", encoding: "text" },
    { path: "assets/dot.png", content: "iVBORw0KGgo=", encoding: "base64" },
  ],
};

export const deployTool = tool({
  name: "deploy_files",
  title: "Publish files as a preview",
  description: `Publishes files as a preview of a site, at a URL of its own; the live site stays as it is, and a person promotes the preview. Without site, and with the scope new-sites, makes a new site instead, which is live at once and ends after 7 days. The files are the whole site: what you leave out is missing. At most ${MAX_FILES} files and ${MAX_CONTENT_BYTES} bytes.`,
  input: t.Object(
    {
      site: t.Optional(Site),
      alias: t.Optional(
        t.String({
          description: "A lasting name in the preview's URL, such as new-header",
          examples: ["new-header"],
        }),
      ),
      message: t.Optional(
        text({ minLength: 0, maxLength: MAX_ORIGIN_LENGTH, description: "Why; shown in the history" }),
      ),
      files: t.Array(File, { minItems: 1, maxItems: MAX_FILES }),
    },
    { examples: [EXAMPLE] },
  ),
  annotations: CREATES,
  needs: ({ site }) => (site === undefined ? "new-sites" : null),
  run: async (call, { site, alias = null, message = "", files }) => {
    const packed = await call.ports.packArchive(decoded(files));
    const origin = { ...NO_ORIGIN, message: message === "" ? null : message };
    const published = await publish(call, packed, { siteName: site ?? null, alias, origin });
    if (site === undefined) await addToScope(call, published);
    return publishedResult(call, published);
  },
});

// --- internal ---

type SentFile = { path: string; content: string; encoding?: "text" | "base64" };

/** Returns the bytes of the files. Throws `invalid` with the first wrong file. */
function decoded(files: readonly SentFile[]) {
  let total = 0;
  return files.map(({ path, content, encoding = "text" }, index) => {
    const bytes = encoding === "text" ? new TextEncoder().encode(content) : fromBase64(content, index, path);
    total += bytes.length;
    if (total <= MAX_CONTENT_BYTES) return { path, bytes };
    throw new DomainError(
      "limit_exceeded",
      `the files have more than ${MAX_CONTENT_BYTES} bytes: leave the largest out, or use POST /deploy or vitrine mcp`,
    );
  });
}

function fromBase64(content: string, index: number, path: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(content);
  } catch {
    const name = JSON.stringify(path.slice(0, 200));
    throw new DomainError("invalid", `files[${index}] (${name}): content is no base64; send text with encoding text`);
  }
}

type Wanted = Pick<Parameters<typeof permitDeployment>[2], "siteName" | "alias" | "origin">;

/** Publishes a packed archive as an upload of its owner: as a preview, or as a new site that expires. */
async function publish(call: AgentCall, archive: Uint8Array, wanted: Wanted): Promise<Published> {
  const { ports, caller, agent, address } = call;
  const isNew = wanted.siteName === null;
  const kind = { isPreview: !isNew, siteLifetime: isNew ? NEW_SITE_LIFETIME : null };
  const asked = { ...wanted, ...kind, lifetime: null, makePrivate: false, onlyIfChanged: false };
  const permit = await permitDeployment(ports, caller, asked, address, agent);
  const upload = ports.uploads.begin(permit.ownerId);
  try {
    upload.add(archive.length);
    const file = await ports.spool.create(archive.length);
    try {
      await file.write(archive);
      await file.close();
      return await deploy(ports, permit, file.path);
    } finally {
      await file.delete();
    }
  } finally {
    upload.end();
  }
}

/**
 * The agent may go on with what it made. A session or a token has its powers from elsewhere. A failure is reported and
 * not thrown, because the site was made: another attempt would make a second one.
 */
async function addToScope({ ports, caller }: AgentCall, { site: { id, name } }: Published): Promise<void> {
  if (caller.kind !== "limited_session") return;
  await ports.store.agents.addSite(caller.sessionId, { id, name }).catch(ports.report);
}

function publishedResult({ ports: { links } }: AgentCall, { site, deployment, alias }: Published): object {
  const { warnings } = deployment;
  return {
    site: site.name,
    deployment_number: deployment.number,
    url: links.deployment(site.name, deployment.number),
    alias_url: alias && links.alias(site.name, alias.name),
    active: deployment.active,
    private: site.private,
    site_url: links.site(site.name),
    site_expires_at: momentOrNull(site.expiresAt),
    expires_at: momentOrNull(alias?.expiresAt ?? deployment.expiresAt),
    files: deployment.fileCount,
    warnings: warnings.slice(0, MAX_WARNINGS),
    more_warnings: Math.max(0, warnings.length - MAX_WARNINGS),
    promote_at: `${links.base}/dashboard/sites/${site.name}/deployments`,
  };
}
