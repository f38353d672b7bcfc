import {
  agentChoices,
  type ConsentChoice,
  type ConsentChoices,
  decideGrant,
} from "../../../domain/accounts/consent.ts";
import { newCode } from "../../../domain/accounts/sealed.ts";
import { type AuthorizationRequest, answerUrl, judgeRequest } from "../../../domain/agents/authorization.ts";
import { findClient } from "../../../domain/agents/clients.ts";
import { CODE_LIFETIME } from "../../../domain/agents/decide.ts";
import { DomainError } from "../../../domain/errors.ts";
import type { AgentGrant } from "../../../domain/model/agent.ts";
import type { SessionCaller } from "../../../domain/model/caller.ts";
import { scopeOf } from "../../../domain/model/scope.ts";
import { readForm, refusalPage, signedIn } from "../../browser.ts";
import { connectionOf } from "../../connection.ts";
import { STATUS } from "../../errors.ts";
import { agentConsent } from "../../pages/authorize.ts";
import { choiceIn } from "../../pages/consent.ts";
import { page, redirect } from "../../pages/page.ts";
import type { RoutePorts } from "../../ports.ts";
import { type AuditSubject, type PageCall, type PageReply, pageRoute, reply } from "../../route.ts";

const TITLE = "Connect an agent";

/** The page at which a person gives an agent access to some of their sites, or denies it (OAuth 2.1). */
export const authorizePages = [
  pageRoute("GET /authorize", showConsent),
  pageRoute("POST /authorize", giveVerdict, summaryOfVerdict),
];

async function showConsent({ ports, request }: PageCall): Promise<Response> {
  const { search } = new URL(request.url);
  try {
    const asked = await judged(ports, request, search);
    if (asked instanceof Response) return asked;
    const caller = await signedIn(ports, request);
    if (!caller) return signInFirst(search);
    const choices = await choicesFor(ports, caller, asked);
    return page({
      title: TITLE,
      body: agentConsent({ asked, search, choices, user: caller.user, chosen: null, problem: null }),
    });
  } catch (error) {
    return refusalPage(TITLE, error);
  }
}

async function giveVerdict({ ports, request }: PageCall): Promise<PageReply> {
  const form = await readForm(request, ports.links);
  const search = form.get("request") ?? "";
  try {
    const asked = await judged(ports, request, search);
    if (asked instanceof Response) return asked;
    const caller = await signedIn(ports, request);
    if (!caller) return signInFirst(search);
    const client = asked.client.name;
    if (form.get("verdict") === "approved")
      return await approve(ports, caller, { asked, search, chosen: choiceIn(form) });
    const denied = { error: "access_denied", error_description: "the person denied it" } as const;
    return reply(redirect(answerUrl(asked, ports.links.base, denied)), {
      madeBy: caller.user,
      audit: { verdict: "denied", client },
    });
  } catch (error) {
    return refusalPage(TITLE, error);
  }
}

/**
 * Returns the request if a person can decide it, or the response to one that is refused. Throws for an unknown client
 * and for a redirect URI that is not the client's: then only the person sees the error.
 */
async function judged(ports: RoutePorts, request: Request, search: string): Promise<AuthorizationRequest | Response> {
  const query = new URLSearchParams(search);
  const ids = query.getAll("client_id");
  if (ids.length !== 1) throw new DomainError("invalid", "this link names no program: let it connect again");
  const client = await findClient(ports, ids[0] as string, connectionOf(request).address);
  const result = judgeRequest(query, client, ports.links.mcp);
  if (result.kind === "stray") throw new DomainError("invalid", result.detail);
  if (result.kind === "valid") return result.request;
  const { answerTo, error, detail } = result;
  return redirect(answerUrl(answerTo, ports.links.base, { error, error_description: ascii(detail) }));
}

interface Approval {
  readonly asked: AuthorizationRequest;
  readonly search: string;
  readonly chosen: ConsentChoice;
}

/** Sends the agent its code, or shows the form again if the choice cannot be granted. */
async function approve(ports: RoutePorts, caller: SessionCaller, approval: Approval): Promise<PageReply> {
  const { asked, chosen } = approval;
  const { user } = caller;
  const choices = await choicesFor(ports, caller, asked);
  let granted: AgentGrant;
  try {
    granted = decideGrant(choices, chosen) as AgentGrant;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const body = agentConsent({ ...approval, choices, user, problem: error });
    return page({ title: TITLE, body, status: STATUS[error.kind] });
  }
  const code = await giveCode(ports, caller, asked, granted);
  if (code === null) return signInFirst(approval.search);
  const audit = { verdict: "approved", client: asked.client.name, scope: scopeOf(granted.limit) };
  return reply(redirect(answerUrl(asked, ports.links.base, { code })), { madeBy: user, audit });
}

/** Returns the code of a consent; null if the person's session was ended meanwhile. */
async function giveCode(
  { store, secrets, clock, links }: RoutePorts,
  { user, sessionId }: SessionCaller,
  { client, redirectUri, challenge }: AuthorizationRequest,
  granted: AgentGrant,
): Promise<string | null> {
  const code = newCode(secrets);
  const now = clock.now();
  const pending = {
    codeHash: secrets.sha256(code),
    clientId: client.id,
    clientName: client.name,
    redirectUri,
    challenge,
    resource: links.mcp,
    userId: user.id,
    granted,
    expiresAt: now + CODE_LIFETIME,
  };
  return (await store.agents.addCode(pending, sessionId, now)) ? code : null;
}

async function choicesFor(
  { store }: RoutePorts,
  { user, at }: SessionCaller,
  { requested }: AuthorizationRequest,
): Promise<ConsentChoices> {
  return agentChoices(requested, await store.sites.listOfMember(user.id, at));
}

function signInFirst(search: string): Response {
  return redirect(`/sign-in?return_to=${encodeURIComponent(`/authorize${search}`)}`);
}

/** RFC 6749 section 4.1.2.1 allows neither quotes nor other characters in `error_description`. */
function ascii(text: string): string {
  return text.replaceAll('"', "'").replaceAll(/[^\x20-\x7e]|\\/g, "?");
}

function summaryOfVerdict({ verdict, client, scope }: AuditSubject): string {
  return verdict === "approved"
    ? `Gave the agent ${client} access with the scope ${scope}`
    : `Denied the agent ${client}`;
}
