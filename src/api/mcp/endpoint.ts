import { type AgentCaller, authenticateAgent } from "../../domain/agents/tokens.ts";
import { takeFromLimit, tooManyRequests } from "../../domain/limits/rate-limit.ts";
import { loadOnce } from "../../domain/load-once.ts";
import { type Caller, credentialId } from "../../domain/model/caller.ts";
import { bearerOf, throttleCaller } from "../authenticate.ts";
import { readText } from "../body.ts";
import { connectionOf } from "../connection.ts";
import { errorResponse } from "../errors.ts";
import type { RoutePorts } from "../ports.ts";
import { requireSameOrigin } from "../same-origin.ts";
import { callsIn, missingScope } from "./messages.ts";

/** Answers a request at /mcp. The credential is checked before the body is read, and both before the protocol. */
export async function answerMcp(ports: RoutePorts, request: Request): Promise<Response> {
  try {
    // The Host was checked before: at another one this is a site's, or nothing.
    if (request.headers.has("origin")) requireSameOrigin(request, ports.links.base);
    const agent = await authenticated(ports, request);
    const { MAX_BODY_BYTES, answerRequest } = await loadServer();
    connectionOf(request).allowSlowBody();
    const body = await readText(request, MAX_BODY_BYTES);
    const calls = callsIn(body);
    const scope = missingScope(agent.caller, calls);
    if (scope !== null) return insufficientScope(ports, scope);
    await countCalls(ports, agent.caller, calls.length);
    const call = { ...agent, ports, address: connectionOf(request).address };
    const { url, method, headers } = request;
    return await answerRequest(call, new Request(url, { method, headers, ...(body === "" ? {} : { body }) }));
  } catch (error) {
    const response = errorResponse(error, ports.report);
    if (response.status === 401) response.headers.set("WWW-Authenticate", challenge(ports, request));
    return response;
  }
}

// --- internal ---

/** The protocol takes some megabytes, so it is loaded with the first request of an agent. */
const loadServer = loadOnce(() => import("./server.ts"));

/** A cookie is no credential here: agents are programs. */
async function authenticated(ports: RoutePorts, request: Request): Promise<AgentCaller> {
  const found = await authenticateAgent(ports, bearerOf(request), ports.links.mcp);
  throttleCaller(ports, found.caller);
  return found;
}

/** Counts the calls of one request, of which all are refused if one is. */
async function countCalls(ports: RoutePorts, caller: Caller, calls: number): Promise<void> {
  const rate = ports.rates.mcpCall;
  if (rate === null) return;
  if (calls > rate.count) throw tooManyRequests("mcpCall", rate.window);
  const now = ports.clock.now();
  for (let n = 0; n < calls; n++) await takeFromLimit(ports, "mcpCall", credentialId(caller), now);
}

function metadata({ links }: RoutePorts): string {
  return `resource_metadata="${links.base}/.well-known/oauth-protected-resource/mcp"`;
}

/** RFC 9728 section 5.1: tells an agent where it gets access. */
function challenge(ports: RoutePorts, { headers }: Request): string {
  return `Bearer ${metadata(ports)}${headers.has("authorization") ? ', error="invalid_token"' : ""}`;
}

/** RFC 6750 section 3.1: an agent asks its person for more. */
function insufficientScope(ports: RoutePorts, scope: string): Response {
  const detail = `the scope of this token is too small: this needs "${scope}"`;
  const bearer = `Bearer ${metadata(ports)}, error="insufficient_scope", scope="${scope}"`;
  return Response.json(
    { error: "insufficient_scope", detail },
    { status: 403, headers: { "WWW-Authenticate": bearer } },
  );
}
