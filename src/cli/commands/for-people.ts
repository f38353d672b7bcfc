import type { Command } from "commander";
import { accessCommands } from "./access.ts";
import { accountCommands } from "./account.ts";
import { activityCommands } from "./activity.ts";
import { aliasCommands } from "./aliases.ts";
import { deployCommands } from "./deploy.ts";
import { deploymentCommands } from "./deployments.ts";
import { domainCommands } from "./domains.ts";
import { explainCommands } from "./explain.ts";
import { openCommands } from "./open.ts";
import { publisherCommands } from "./publishers.ts";
import { shareCommands } from "./shares.ts";
import { siteCommands } from "./sites.ts";
import { tokenCommands } from "./tokens.ts";
import { webhookCommands } from "./webhooks.ts";

/** The commands that call the API, in the order of the help. */
export function peopleCommands(): Command[] {
  return [
    accountCommands,
    deployCommands,
    openCommands,
    siteCommands,
    deploymentCommands,
    aliasCommands,
    accessCommands,
    domainCommands,
    shareCommands,
    tokenCommands,
    publisherCommands,
    webhookCommands,
    activityCommands,
    explainCommands,
  ].flatMap((commands) => commands());
}
