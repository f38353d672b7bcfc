import { changeTools } from "./change-tools.ts";
import { deployTool } from "./deploy-tool.ts";
import { readTools } from "./read-tools.ts";
import type { Tool } from "./tool.ts";

/** All tools over HTTP. `vitrine mcp` adds one for folders of its own machine. */
export const TOOLS: readonly Tool[] = [...readTools, deployTool, ...changeTools];

export function toolNamed(name: unknown): Tool | null {
  return TOOLS.find((tool) => tool.name === name) ?? null;
}
