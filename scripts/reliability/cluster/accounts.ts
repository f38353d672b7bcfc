import { readFileSync } from "node:fs";
import type { ClusterNode } from "./node.ts";
import { BASE, NODE_PORT } from "./node.ts";

/** Creates the operator's account by the link of the node that printed it last. Returns a session token. */
export async function makeAccount(nodes: readonly ClusterNode[]): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt++) {
    for (const node of nodes) {
      const token = await followLink(node);
      if (token) return token;
    }
    await Bun.sleep(100);
  }
  throw new Error("no link creates an account");
}

// --- internal ---

/** Each node replaces the link of the one before, and prints its own some time after it is ready. */
async function followLink({ log, network }: ClusterNode): Promise<string | null> {
  const [path] = /\/setup\/\S+(?=\n)/.exec(readFileSync(log(), "utf8")) ?? [];
  if (!path) return null;
  const body = new URLSearchParams({ login: "ada", password: "correct horse battery" });
  const headers = { Host: BASE, Origin: `http://${BASE}` };
  const url = `http://${network.address}:${NODE_PORT}${path}`;
  const response = await fetch(url, { method: "POST", body, headers, redirect: "manual" });
  const [, token] = /=(vts_[^;]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
  return token ?? null;
}
