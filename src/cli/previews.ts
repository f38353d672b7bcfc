import type { PreviewPolicy } from "../api/schemas/types.ts";
import { path } from "./client/client.ts";
import { type ClientOptions, connect } from "./client/connect.ts";
import type { Terminal } from "./terminal/terminal.ts";

interface PolicyOptions extends ClientOptions {
  readonly access?: string;
  readonly expires?: string;
}

/** Prints who may see a site's previews and when new ones expire, after setting what the options name. */
export async function previewPolicy(terminal: Terminal, site: string, options: PolicyOptions): Promise<void> {
  const { access, expires: expires_in, json } = options;
  const client = await connect(terminal, options);
  const previews = path`/sites/${site}/previews`;
  const isChange = access !== undefined || expires_in !== undefined;
  const policy = await (isChange
    ? client.put<PreviewPolicy>(previews, { access, expires_in })
    : client.get<PreviewPolicy>(previews));
  if (json) return terminal.json(policy);
  terminal.data(`Previews of ${site} ${WHO[policy.access]}. New ones expire after ${policy.expires_in}.`);
}

const WHO: Readonly<Record<PreviewPolicy["access"], string>> = {
  site: "can be seen by everybody who can see the site",
  private: "can be seen by its owner and readers",
  public: "can be seen by everybody",
};
