import type { CreatedToken } from "../../../api/types.ts";
import { type ClientSource, commandLine } from "../../../parts/command-line.ts";

interface DeployCommands {
  readonly vitrine: string;
  readonly curl: string;
}

/** Returns the commands that deploy with a token in `VITRINE_TOKEN`. A token for previews may not publish. */
export function deployCommands(
  { site_name: site, permission }: Pick<CreatedToken, "site_name" | "permission">,
  source: ClientSource,
): DeployCommands {
  const isPreview = permission === "preview";
  return {
    vitrine: commandLine(source, `deploy dist --site ${site}${isPreview ? " --preview" : ""}`),
    curl: [
      `curl ${source.server}/deploy \\`,
      `  -H "Authorization: Bearer $VITRINE_TOKEN" \\`,
      ...(isPreview ? [`  -H "X-Service-Activate: no" \\`] : []),
      `  -H "X-Service-Site: ${site}" -F file=@site.zip`,
    ].join("\n"),
  };
}
