import { expect } from "bun:test";
import { parseDatabaseUrl } from "../../domain/database-url.ts";
import { freePort } from "../../testing/free-port.ts";
import { needing } from "../../testing/needing.ts";
import { inspectServers } from "./inspect.ts";
import { knownSchema, markMoved, migrate } from "./migrate.ts";
import { startFaultyNetwork } from "./testing/faulty-network.ts";
import { makeDatabase } from "./testing/make-database.ts";

const { test } = needing("postgres");

test("each server in the URL describes itself and its database", async () => {
  const url = parseDatabaseUrl(await makeDatabase());
  const closed = { hostname: "127.0.0.1", port: freePort() };
  const servers = { ...url, hosts: [...url.hosts, closed] };
  const [{ hostname, port }] = url.hosts as [{ hostname: string; port: number }];
  const found = {
    place: `${hostname}:${port}`,
    role: "primary",
    version: expect.stringMatching(/^\d+/),
    isEncrypted: false,
    isLocal: true,
    clockAhead: 0,
    schema: 0,
    knownSchema: knownSchema(),
    movedAt: null,
  };
  const away = {
    place: `127.0.0.1:${closed.port}`,
    role: "unusable",
    reason: expect.stringContaining("whether it runs"),
  };
  expect(await inspectServers(servers)).toEqual([found, away] as never);
  await migrate(url);
  await markMoved(url, 7);
  expect(await inspectServers(url)).toEqual([{ ...found, schema: knownSchema(), movedAt: 7 }] as never);
});

test("a server that hangs after its greeting is unusable", async () => {
  const network = await startFaultyNetwork(parseDatabaseUrl(await makeDatabase()));
  network.hangAt("pg_stat_ssl");
  const [server] = await inspectServers(network.url, 300);
  expect(server).toMatchObject({ role: "unusable", reason: "PostgreSQL did not answer within 0.3 s" });
  network.stop();
});
