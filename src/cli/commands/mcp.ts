import type { Command } from "commander";
import { clientCommand } from "../command.ts";

export function mcpCommands(): Command[] {
  return [
    clientCommand("mcp", "let an agent on this machine publish previews")
      .note(
        "For editors and other programs that start a command and talk to it on stdin and stdout (MCP). The tools are those of the server's /mcp, and deploy_folder, which reads at or below the working folder only.",
      )
      .examples("vitrine mcp", "claude mcp add pages -- vitrine mcp")
      .runs(() => import("../mcp.ts"), "serveStdio"),
  ];
}
