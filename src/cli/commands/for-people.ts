import type { Command } from "commander";
import { accessCommands } from "./access.ts";
import { accountCommands } from "./account.ts";
import { activityCommands } from "./activity.ts";
import { aliasCommands } from "./aliases.ts";
import { analyticsCommands } from "./analytics.ts";
import { deployCommands } from "./deploy.ts";
import { deploymentCommands } from "./deployments.ts";
import { domainCommands } from "./domains.ts";
import { explainCommands } from "./explain.ts";
import { mcpCommands } from "./mcp.ts";
import { memberCommands } from "./members.ts";
import { openCommands } from "./open.ts";
import { previewCommands } from "./previews.ts";
import { publisherCommands } from "./publishers.ts";
import { reportCommands } from "./report.ts";
import { shareCommands } from "./shares.ts";
import { siteCommands } from "./sites.ts";
import { tokenCommands } from "./tokens.ts";
import { webhookCommands } from "./webhooks.ts";

/** What a new user needs. */
const FIRST = ["deploy", "login", "sites"];

/** The commands that call the API, in the order of the help. */
export function peopleCommands(): Command[] {
  const commands = [
    deployCommands,
    siteCommands,
    openCommands,
    deploymentCommands,
    reportCommands,
    aliasCommands,
    previewCommands,
    accessCommands,
    memberCommands,
    domainCommands,
    shareCommands,
    tokenCommands,
    publisherCommands,
    webhookCommands,
    analyticsCommands,
    activityCommands,
    explainCommands,
    mcpCommands,
    accountCommands,
  ].flatMap((some) => some());
  const first = FIRST.flatMap((name) => commands.filter((command) => command.name() === name));
  return [...first, ...commands.filter((command) => !first.includes(command))];
}
