import { describe, expect, test } from "bun:test";
import type { NodeStatus } from "../ports/store/nodes.ts";
import { type DatabaseServer, examineNodes, examineServers, type PrimaryServer } from "./examine-cluster.ts";

const primary: DatabaseServer & PrimaryServer = {
  place: "db1:5432",
  role: "primary",
  version: "15.4",
  isEncrypted: true,
  isLocal: false,
  clockAhead: 0,
  schema: 3,
  knownSchema: 3,
  movedAt: null,
};
const replica: DatabaseServer = { place: "db2:5432", role: "replica" };
const away: DatabaseServer = { place: "db3:5432", role: "unusable", reason: "connection refused" };

const summary = (servers: readonly DatabaseServer[]) =>
  examineServers(servers).map(({ check, verdict, detail }) => `${verdict} ${check}: ${detail}`);

describe("the servers of the database", () => {
  const isPrimary = "ok database: db1:5432, PostgreSQL 15.4, is the primary";
  test.each<[string, readonly DatabaseServer[], readonly string[]]>([
    ["a primary", [primary], [isPrimary]],
    [
      "a primary with a replica and one that is away",
      [primary, replica, away],
      [
        isPrimary,
        "ok database: db2:5432 is a replica, for when the primary fails",
        "warning database: db3:5432 cannot be used: connection refused",
      ],
    ],
    ["none that answers", [away], ["problem database: db3:5432 cannot be used: connection refused"]],
    [
      "only a replica",
      [replica],
      ["ok database: db2:5432 is a replica, for when the primary fails", "problem database: db2:5432 takes no changes"],
    ],
    [
      "without encryption",
      [{ ...primary, isEncrypted: false }],
      [isPrimary, "warning database: connections to db1:5432 are not encrypted"],
    ],
    ["without encryption on this machine", [{ ...primary, isEncrypted: false, isLocal: true }], [isPrimary]],
    [
      "a clock that is slow",
      [{ ...primary, clockAhead: -90_000 }],
      [isPrimary, "warning clock: differs by 90 s from PostgreSQL's"],
    ],
    ["an empty database", [{ ...primary, schema: 0 }], ["warning database: db1:5432, PostgreSQL 15.4, is empty"]],
    [
      "an earlier schema",
      [{ ...primary, schema: 2 }],
      ["warning database: db1:5432, PostgreSQL 15.4, is of an earlier version"],
    ],
    [
      "a database that was moved",
      [{ ...primary, movedAt: 0 }],
      ["problem database: db1:5432, PostgreSQL 15.4, was moved to a data folder at 1970-01-01T00:00:00.000Z"],
    ],
  ])("%s", (_, servers, expected) => {
    expect(summary(servers)).toEqual([...expected]);
  });
});

describe("the nodes", () => {
  const node: NodeStatus = {
    name: "n1",
    address: "http://n1",
    version: "1",
    state: "live",
    applied: 5000,
    lastSeenAt: 0,
  };
  test.each<[string, readonly NodeStatus[], readonly string[]]>([
    ["none", [], ["ok none is running"]],
    ["all up to date", [node, { ...node, name: "n2", state: "draining" }], ["ok n1 is live, n2 is draining"]],
    [
      "one silent and one slow",
      [
        { ...node, state: "isolated" },
        { ...node, name: "n2", applied: 3999 },
      ],
      ["warning n1 has not reached the database since 1970-01-01T00:00:00.000Z", "warning n2 is 1001 changes behind"],
    ],
  ])("%s", (_, nodes, expected) => {
    expect(examineNodes(nodes, 5000).map(({ verdict, detail }) => `${verdict} ${detail}`)).toEqual([...expected]);
  });
});
