import { createInterface } from "node:readline";
import { answerLine, relayTo } from "./agents/relay.ts";
import { type ClientOptions, connect } from "./client/connect.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Serves agents on this machine over stdio: one JSON message a line, until stdin ends. */
export async function serveStdio(terminal: Terminal, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  const relay = relayTo(client, process.cwd());
  terminal.say(`Serving agents on stdin and stdout, with ${client.server}/mcp.`);
  const running = new Set<Promise<void>>();
  for await (const line of createInterface({ input: process.stdin })) {
    // Requests are answered as they are done, so that a slow one delays no other.
    const answered = answerLine(relay, line, terminal.data).finally(() => running.delete(answered));
    running.add(answered);
  }
  await Promise.all(running);
}
