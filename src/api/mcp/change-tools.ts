import { Type as t } from "@sinclair/typebox";
import { sharePreview } from "../../domain/agents/act.ts";
import { formatSubject } from "../../domain/audit/audit.ts";
import { activateDeployment } from "../../domain/deployments/history.ts";
import { actorOf, scopeUsed } from "../audit.ts";
import { createdShareResponse } from "../schemas/shares.ts";
import { DeploymentNumber, deploymentLine, Site } from "./read-tools.ts";
import { type AgentCall, CREATES, REPLACES, tool } from "./tool.ts";

/** Tools that change what others can see. None deletes. */
export const changeTools = [
  tool({
    name: "share_preview",
    title: "Share a preview",
    description:
      "Makes a link that opens a private preview without an account, for 7 days. Only for a preview that you made yourself.",
    input: t.Object(
      { site: Site, deployment_number: t.Optional(DeploymentNumber), alias: t.Optional(t.String()) },
      { examples: [{ site: "brisk-otter-4821", deployment_number: 3 }] },
    ),
    annotations: CREATES,
    run: async (call, { site, deployment_number: deploymentNumber = null, alias = null }) => {
      const created = await sharePreview(call.ports, call, { siteName: site, deploymentNumber, alias });
      const { id, label } = created.share;
      await record(call, "POST /sites/:name/shares", created.siteName, { share_id: id, share: label });
      const { url, expires_at } = createdShareResponse(call.ports.links, created);
      return { url, expires_at };
    },
  }),

  tool({
    name: "activate",
    title: "Put a deployment live",
    description:
      "Makes a deployment live for all visitors of the site, from the next request on. Needs the scope publish; without it a person promotes in the dashboard.",
    input: t.Object(
      { site: Site, deployment_number: DeploymentNumber },
      { examples: [{ site: "brisk-otter-4821", deployment_number: 3 }] },
    ),
    annotations: REPLACES,
    needs: () => "publish",
    run: async (call, { site, deployment_number: number }) => {
      const deployment = await activateDeployment(call.ports, call.caller, site, number);
      const action = "POST /sites/:name/deployments/:deployment_number/activate";
      await record(call, action, deployment.siteName, { deployment_number: String(number) });
      const { links } = call.ports;
      return { ...deploymentLine(links, deployment), site_url: links.site(deployment.siteName) };
    },
  }),
];

// --- internal ---

/** Adds the audit record of a change. A failure is reported and not thrown, because the change has been made. */
async function record(
  { ports, caller, agent, address }: AgentCall,
  action: string,
  site: string,
  about: Readonly<Record<string, string>>,
): Promise<void> {
  const subject = formatSubject({ ...about, ...scopeUsed(caller), client: agent.name });
  const entry = { ...actorOf(caller), at: ports.clock.now(), kind: "mcp", address, action, site, subject } as const;
  await ports.store.audit.append(entry).catch(ports.report);
}
