// Measures event streams: the delay from a change to the clients of every worker, the memory of 1,000 open streams, and
// the response time of a visit meanwhile.
//   node scripts/with-bun.mjs scripts/bench/events.ts [--streams 1000] [--changes 200]
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Socket } from "bun";
import { scratchFolder } from "../../src/acceptance/testing/executable.ts";
import { systemClock } from "../../src/clients/system/clock.ts";
import { systemSecrets } from "../../src/clients/system/secrets.ts";
import { startSession } from "../../src/domain/accounts/sessions.ts";
import { openStorage } from "../../src/storage/open.ts";
import { quantile } from "../statistics.ts";
import { startExecutable, timed, visitFor } from "./test-server.ts";

const { values } = parseArgs({
  options: { streams: { type: "string", default: "1000" }, changes: { type: "string", default: "200" } },
});
const OF_SESSION = 10;
const VISIT_MS = 10_000;

const { path: folder } = scratchFolder();
const server = await startExecutable(["--workers", "2"]);
writeFileSync(join(folder, "index.html"), "x".repeat(4096));
timed(["zip", "-q", "site.zip", "index.html"], { cwd: folder });
for (let deployment = 0; deployment < 2; deployment++) timed(server.deployCommand(join(folder, "site.zip"), "bench"));

await latency(Number(values.changes));
await streams(Number(values.streams));
await server.stop();

/** Changes a site and measures the delay until the streams of both workers receive the event. */
async function latency(changes: number): Promise<void> {
  let arrived = (_at: number) => {};
  const sockets = await Promise.all(
    Array.from({ length: OF_SESSION }, () =>
      openStream(server.token, (text) => {
        if (text.includes("deployment.activated")) arrived(performance.now());
      }),
    ),
  );
  const waits: number[] = [];
  for (let change = 0; change < changes; change++) {
    const all = Promise.withResolvers<void>();
    const started = performance.now();
    let count = 0;
    arrived = (at) => {
      waits.push(at - started);
      count += 1;
      if (count === sockets.length) all.resolve();
    };
    await activate(1 + (change % 2));
    await all.promise;
    // A random pause keeps the changes from aligning with the polling interval.
    await Bun.sleep(Math.random() * 50);
  }
  for (const socket of sockets) socket.end();
  console.log(
    `a change, from the request to ${OF_SESSION} streams on both workers: p50 ${at(waits, 0.5)} ms, p99 ${at(waits, 0.99)} ms`,
  );
}

/** Opens streams of users who all receive every change, and measures memory and the response time of visits. */
async function streams(count: number): Promise<void> {
  const tokens = await sessions(Math.ceil(count / OF_SESSION));
  const visits = () => visitFor(server.port, VISIT_MS);
  await visitFor(server.port, 2000);
  const before = await visits();
  const idle = server.memory();
  const sockets: Socket<undefined>[] = [];
  for (const token of tokens) {
    const more = Math.min(OF_SESSION, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: more }, () => openStream(token, () => {})))));
  }
  const open = await visits();
  const held = server.memory();
  let isChanging = true;
  const changing = (async () => {
    for (let change = 0; isChanging; change++) {
      await activate(1 + (change % 2));
      await Bun.sleep(1000);
    }
  })();
  const withChanges = await visits();
  isChanging = false;
  await changing;
  const after = server.memory();
  for (const socket of sockets) socket.end();
  const growth = (now: { anonymous: number }) => (now.anonymous - idle.anonymous).toFixed(1);
  console.log(`${sockets.length} streams: + ${growth(held)} MiB, + ${growth(after)} MiB after events to all of them`);
  for (const [what, times] of [
    ["without streams", before],
    ["with streams", open],
    ["and a change a second that reaches all", withChanges],
  ] as const) {
    console.log(
      `a visitor's 4 kB page ${what}: p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms, most ${at(times, 1)} ms`,
    );
  }
}

async function activate(number: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${server.port}/sites/bench/deployments/${number}/activate`, {
    method: "POST",
    headers: { Authorization: `Bearer ${server.token}` },
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Opens a stream. Resolves once it has begun. */
async function openStream(token: string, onEvent: (text: string) => void): Promise<Socket<undefined>> {
  const begun = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: server.port,
    socket: {
      data(_, data) {
        const text = data.toString();
        if (text.includes("retry:")) begun.resolve();
        else if (text.includes("HTTP/1.1 4")) begun.reject(new Error(text));
        onEvent(text);
      },
    },
  });
  socket.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await begun.promise;
  return socket;
}

/** Creates sessions of the user `bench`. */
async function sessions(count: number): Promise<string[]> {
  const { store, close } = openStorage({ dataDir: server.dataDir });
  const [user] = await store.users.list();
  const ports = { store, clock: systemClock, secrets: systemSecrets };
  const tokens: string[] = [];
  for (let session = 0; session < count; session++) {
    const { token } = await startSession(ports, {
      userId: user!.id,
      clientName: "bench",
      address: null,
      signedIn: false,
    });
    tokens.push(token);
  }
  close();
  return tokens;
}

function at(times: readonly number[], share: number): string {
  return quantile(times, share).toFixed(2);
}
