import { expect } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withDisk } from "../../testing/disk.ts";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { addPerson, addSession } from "../contract/people.ts";
import { publicationOf } from "../contract/publication.ts";
import { prepareReplica } from "./prepare.ts";
import { freshCluster } from "./testing/fresh-cluster.ts";

const { test } = needing("postgres", "disk");
const cluster = freshCluster();

test("a node whose disk is full answers no visit until it can write, and then has every change", async () => {
  const folder = temporaryFolder();
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const ownerId = (await addPerson(cluster.store, "ada")).id;
  const sessionId = await addSession(cluster.store, ownerId);
  const publish = (siteName: string) =>
    cluster.store.deployments.publish(publicationOf({ siteName, ownerId, sessionId }));
  await withDisk(disk, "size=8m", async () => {
    const file = join(disk, "replica.db");
    await prepareReplica(file);
    const problems: (string | null)[] = [];
    const node = await cluster.startNode("full", { file, onProblem: (reason) => problems.push(reason) });
    try {
      const filling = join(disk, "filling");
      // Up to the last byte: the disk refuses the rest.
      expect(() => writeFileSync(filling, new Uint8Array(8 * 1024 * 1024))).toThrow("ENOSPC");
      for (let n = 0; node.lease.isCurrent() && n < 50; n++) await publish(`site-${n}`);
      expect(node.lease.isCurrent()).toBe(false);
      expect(problems.at(-1)).toContain("the disk is full");
      await publish("last");
      rmSync(filling);
      // An attempt has one second, in which a busy machine may not reach the database.
      while (!(await node.membership.renew()));
      expect(await node.store.sites.findRoute("last")).toMatchObject({ activeDeployment: expect.any(Number) });
    } finally {
      await node.stop();
    }
  });
});
