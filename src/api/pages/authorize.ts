import type { ConsentChoice, ConsentChoices } from "../../domain/accounts/consent.ts";
import type { AuthorizationRequest } from "../../domain/agents/authorization.ts";
import { isDocumentUrl } from "../../domain/agents/client-document.ts";
import { redirectHost } from "../../domain/agents/redirects.ts";
import type { User } from "../../domain/model/user.ts";
import { consentPage } from "./consent.ts";
import { html, type Markup } from "./html.ts";
import type { Problem } from "./sign-in.ts";

interface AgentConsent {
  readonly asked: AuthorizationRequest;
  /** The query of the request, which the form sends again. */
  readonly search: string;
  readonly user: User;
  readonly choices: ConsentChoices;
  readonly chosen: ConsentChoice | null;
  readonly problem: Problem | null;
}

/** Shows who asks: a name, which anybody can give, and the hosts, which tell where the answer goes. */
export function agentConsent({ asked, search, user, choices, chosen, problem }: AgentConsent): Markup {
  const { client, redirectUri } = asked;
  const document = isDocumentUrl(client.id) ? new URL(client.id).host : "no document: it registered itself";
  return consentPage({
    title: "Connect this agent?",
    code: null,
    facts: [
      ["Application", client.name],
      ["Described by", document],
      ["Answer goes to", redirectHost(redirectUri)],
      ["Account", user.login],
    ],
    who: "agent",
    form: { action: "/authorize", hidden: { request: search } },
    warning: html`Approve only if you just started this yourself, and recognize the host that the answer goes to.
Anybody can give their program any name.`,
    choices,
    chosen,
    problem,
  });
}
