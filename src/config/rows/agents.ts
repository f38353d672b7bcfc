import { isAllowedRedirect } from "../../domain/agents/redirects.ts";
import * as parse from "./parsers.ts";
import { parser, Unusable } from "./parsers.ts";
import { setting, settings } from "./setting.ts";

/** Where Claude and ChatGPT, on the web, want their answers. Editors listen on the user's machine, which always works. */
const PUBLISHED_CALLBACKS = [
  "https://claude.ai/api/mcp/auth_callback",
  "https://claude.com/api/mcp/auth_callback",
  "https://chatgpt.com/connector_platform_oauth_redirect",
  "https://chatgpt.com/connector/oauth/*",
];

/** One redirect URI, or all that differ in the last segment. */
const redirectPattern = parser<string>("URL", (value) => {
  const example = value.replace(/\/\*$/, "/segment");
  if (example.includes("*") || !isAllowedRedirect([value], example)) {
    throw new Unusable("URLs such as https://claude.ai/api/mcp/auth_callback, with * as the last segment at most");
  }
  return value;
});

/** The settings of agents, which connect over MCP. */
export const AGENT_SETTINGS = settings({
  mcp: setting(parse.onOff, true, "agents may connect at /mcp, after a person's consent"),
  mcpRedirects: setting(
    parse.listOf(redirectPattern),
    PUBLISHED_CALLBACKS,
    "redirect URIs for which agents may register, as a list; * as the last segment is any one. Those on the user's own machine always work",
    { defaultText: "those of Claude and ChatGPT" },
  ),
});
