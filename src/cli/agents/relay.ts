import { messageOf } from "../../domain/error-message.ts";
import { parseJsonObject } from "../../domain/json.ts";
import type { ApiClient } from "../client/client.ts";
import { Failure } from "../terminal/errors.ts";
import { DEPLOY_FOLDER, deployFolder } from "./deploy-folder.ts";

/** A message of the protocol (JSON-RPC 2.0), as far as the relay reads it. */
interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** Passes messages on to a server, and answers what only this machine can. */
interface Relay {
  readonly client: ApiClient;
  /** The folder in which the client runs: nothing outside of it is read. */
  readonly folder: string;
  /** The version that a client of 2025 has agreed on; later ones name it in each message. */
  version: string | null;
}

export function relayTo(client: ApiClient, folder: string): Relay {
  return { client, folder, version: null };
}

/** Answers one line of input. Never rejects: what fails is the answer. */
export async function answerLine(relay: Relay, line: string, write: (line: string) => void): Promise<void> {
  if (line.trim() === "") return;
  for (const message of messagesIn(line)) {
    for (const answer of await answersTo(relay, message)) write(JSON.stringify(answer));
  }
}

// --- internal ---

/** JSON-RPC's codes for a line that is no JSON, and for an error of the server. */
const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

/** A batch of the protocol of 2025 is answered one by one. */
function messagesIn(line: string): readonly (Message | null)[] {
  try {
    const value: unknown = JSON.parse(line);
    return (Array.isArray(value) ? value : [value]).map((one) => (typeof one === "object" ? (one as Message) : null));
  } catch {
    return [null];
  }
}

async function answersTo(relay: Relay, message: Message | null): Promise<readonly object[]> {
  if (message === null) return [errorAnswer(null, PARSE_ERROR, "send one JSON object a line")];
  const { id, method, params } = message;
  try {
    if (method === "tools/call" && params?.name === DEPLOY_FOLDER.name) {
      return [{ jsonrpc: "2.0", id, result: await deployFolder(relay, params.arguments) }];
    }
    const answers = await forward(relay, message);
    return method === "tools/list" ? answers.map(withFolders) : answers;
  } catch (error) {
    if (id === undefined) return [];
    const { message: problem, advice } = error instanceof Failure ? error : { message: messageOf(error) };
    return [errorAnswer(id, SERVER_ERROR, [problem, advice].filter(Boolean).join(". "))];
  }
}

async function forward(relay: Relay, message: Message): Promise<readonly Message[]> {
  const response = await relay.client.fetch("/mcp", {
    method: "POST",
    headers: headersFor(relay, message),
    body: JSON.stringify(message),
  });
  const text = await response.text();
  const answers = parsed(text, response.headers.get("content-type") ?? "");
  if (answers.length === 0 && !response.ok) throw new Failure(refusal(relay, response.status, text));
  const [first] = answers;
  if (message.method === "initialize" && typeof first?.result?.protocolVersion === "string") {
    relay.version = first.result.protocolVersion;
  }
  return message.id === undefined ? [] : answers;
}

/** Over HTTP the protocol of 2026 repeats parts of a message in header fields. */
function headersFor({ version }: Relay, { method = "", params = {} }: Message): Record<string, string> {
  const meta = (params._meta ?? {}) as Readonly<Record<string, unknown>>;
  const named = meta["io.modelcontextprotocol/protocolVersion"];
  const used = typeof named === "string" ? named : method === "initialize" ? null : version;
  return {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    ...(used === null ? {} : { "MCP-Protocol-Version": used }),
    ...(typeof named === "string" ? { "Mcp-Method": method } : {}),
    ...(typeof named === "string" && typeof params.name === "string" ? { "Mcp-Name": params.name } : {}),
  };
}

/** Returns the messages of a response: one, or those of an event stream. */
function parsed(text: string, type: string): readonly Message[] {
  const lines = type.startsWith("text/event-stream")
    ? text.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice(5)] : []))
    : [text];
  return lines.map(parseJsonObject).filter((message) => message?.jsonrpc === "2.0") as Message[];
}

function refusal({ client }: Relay, status: number, text: string): string {
  if (status === 404) return `${client.server} takes no agents (--mcp off), or is older than this client`;
  const detail = parseJsonObject(text)?.detail;
  return typeof detail === "string" ? detail : `${client.server} answered with the status ${status}`;
}

function withFolders(answer: Message): Message {
  const tools = answer.result?.tools;
  return Array.isArray(tools) ? { ...answer, result: { ...answer.result, tools: [...tools, DEPLOY_FOLDER] } } : answer;
}

function errorAnswer(id: Message["id"] | null, code: number, message: string): object {
  return { jsonrpc: "2.0", id: id ?? null, error: { code, message } };
}
