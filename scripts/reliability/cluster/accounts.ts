import { readFileSync } from "node:fs";
import type { ClusterNode } from "./node.ts";
import { BASE, NODE_PORT } from "./node.ts";

/** Creates the operator's account by the link that one of the nodes printed. Returns a session token. */
export async function makeAccount(nodes: readonly ClusterNode[]): Promise<string> {
  const body = new URLSearchParams({ login: "ada", password: "correct horse battery" });
  const headers = { Host: BASE, Origin: `http://${BASE}` };
  for (const { log, network } of nodes) {
    const [path] = /\/setup\/\S+/.exec(readFileSync(log(), "utf8")) ?? [];
    if (!path) continue;
    const origin = `http://${network.address}:${NODE_PORT}`;
    const response = await fetch(`${origin}${path}`, { method: "POST", body, headers, redirect: "manual" });
    const [, token] = /=(vts_[^;]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
    if (token) return token;
    console.error(`${path} was answered ${response.status}`);
  }
  throw new Error("no link creates an account");
}
