import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localhostCertificate } from "../../x509/testing/localhost-certificate.ts";
import type { Pebble } from "./pebble.ts";

/** A fault: a response instead of the CA's, or a connection closed before or after the CA has acted. */
type Fault = Response | "cut before" | "cut after" | null;

export interface FaultyCa {
  readonly directory: string;
  readonly caFile: string;
  /** The paths that reached the CA. */
  readonly forwarded: string[];
  fault: (path: string) => Fault;
  stop(): Promise<void>;
}

/** Starts a proxy in front of a real CA that injects faults into chosen requests. */
export async function startFaultyCa(pebble: Pebble): Promise<FaultyCa> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-faulty-ca-"));
  const { cert, key, rootFile } = await localhostCertificate(folder);
  const upstream = new URL(pebble.directory).origin;
  const ca = await Bun.file(pebble.caFile).text();

  const server = createServer({ cert, key }, (request, response) => {
    void respond(request, response).catch(() => response.destroy());
  });
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "";
    const fault = state.fault(path);
    if (fault instanceof Response) return send(fault, response);
    if (fault === "cut before") return cut(response);
    state.forwarded.push(path);
    const reply = await forward(upstream + path, request, ca);
    return fault === "cut after" ? cut(response) : send(reply, response);
  };
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));

  const state: FaultyCa = {
    directory: `https://localhost:${(server.address() as AddressInfo).port}/dir`,
    caFile: rootFile,
    forwarded: [],
    fault: () => null,
    async stop() {
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true });
    },
  };
  return state;
}

// --- internal ---

async function forward(url: string, request: IncomingMessage, ca: string): Promise<Response> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const method = request.method ?? "GET";
  // Pebble builds its URLs from the Host header, so that all requests use the proxy.
  const headers = { Host: request.headers.host ?? "", "Content-Type": request.headers["content-type"] ?? "" };
  const tls = { ca, checkServerIdentity: () => undefined };
  return fetch(url, { method, headers, tls, ...(method === "POST" ? { body: Buffer.concat(chunks) } : {}) });
}

async function send(from: Response, to: ServerResponse): Promise<void> {
  const body = await from.bytes();
  to.writeHead(from.status, Object.fromEntries(from.headers));
  to.end(body);
}

/** Closes the connection in the middle of a response. */
function cut(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 100 });
  response.write('{"status', () => response.destroy());
}
