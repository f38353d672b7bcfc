import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { NO_ORIGIN } from "../../domain/model/deployment.ts";
import type { ApiClient } from "../client/client.ts";
import { contentOf } from "../deploying/archive.ts";
import { readSource } from "../deploying/source.ts";
import { upload } from "../deploying/upload.ts";
import { Failure } from "../terminal/errors.ts";

/** The tool that only a program on the user's machine has. */
export const DEPLOY_FOLDER = {
  name: "deploy_folder",
  title: "Publish a folder as a preview",
  description:
    "Publishes a folder at or below the working folder as a preview of a site, at a URL of its own; the live site stays as it is, and a person promotes the preview. Give the folder with the built site, such as dist.",
  inputSchema: {
    type: "object",
    properties: {
      folder: { type: "string", description: "Relative to the working folder", examples: ["dist"] },
      site: { type: "string", description: "The site's name, from sites_list", examples: ["brisk-otter-4821"] },
      alias: { type: "string", description: "A lasting name in the preview's URL, such as new-header" },
    },
    required: ["folder", "site"],
    additionalProperties: false,
    examples: [{ folder: "dist", site: "brisk-otter-4821", alias: "new-header" }],
  },
  annotations: {
    title: "Publish a folder as a preview",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
} as const;

/** Publishes a folder for an agent. What is wrong is a result that the model can act on. */
export async function deployFolder(
  { client, folder: working }: { readonly client: ApiClient; readonly folder: string },
  sent: unknown,
): Promise<object> {
  try {
    const { folder, site, alias } = argumentsIn(sent);
    const source = await readSource(await folderWithin(working, folder));
    const made = await upload(client, {
      content: contentOf(source, () => {}),
      site,
      alias,
      access: null,
      origin: NO_ORIGIN,
      onlyIfChanged: false,
      isPreview: true,
      expires: null,
      siteExpires: null,
      agent: "vitrine mcp",
    });
    const { site_name, deployment_number, deployment_url: url, alias_url, active, expires_at } = made;
    return resultOf({ site: site_name, deployment_number, url, alias_url, active, expires_at });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const detail = [error.message, error.advice].filter(Boolean).join(". ");
    return { ...resultOf({ detail }), isError: true };
  }
}

/**
 * Returns the real path of a folder at or below the working folder. Throws `Failure` for any other: a link may lead out,
 * so that both are resolved first.
 */
async function folderWithin(working: string, folder: string): Promise<string> {
  const root = await realpath(working);
  const found = await realpath(resolve(root, folder)).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      `${JSON.stringify(folder)} cannot be read (${error.code})`,
      "Give a folder below the working folder",
    );
  });
  if (found === root || found.startsWith(root + sep)) return found;
  throw new Failure(
    `${JSON.stringify(folder)} is outside of the working folder`,
    "Give a folder below it, such as dist",
  );
}

// --- internal ---

function argumentsIn(sent: unknown) {
  const { folder, site, alias = null } = (sent ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof folder !== "string" || folder === "") throw new Failure("give folder, such as dist");
  if (typeof site !== "string" || site === "") throw new Failure("give site: sites_list has the names");
  if (alias !== null && typeof alias !== "string") throw new Failure("alias is a text");
  return { folder, site, alias };
}

function resultOf(value: object): object {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}
