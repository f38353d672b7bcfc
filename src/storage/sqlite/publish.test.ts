import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { addPerson, addSession } from "../contract/people.ts";
import { publicationOf } from "../contract/publication.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

test("a comparison with a deployment that is no longer active is repeated", async () => {
  const { deployments, sites } = fresh.store;
  const { id: ownerId } = await addPerson(fresh.store, "alice");
  const sessionId = await addSession(fresh.store, ownerId);
  const publication = (letter: string) => {
    const files = [{ path: "index.html", digest: letter.repeat(64), size: 1 }];
    return publicationOf({ siteName: "demo", ownerId, sessionId, files, onlyIfChanged: true });
  };
  await deployments.publish(publication("a"));
  await deployments.publish(publication("b"));

  // A writer delays the third publication, whose files are those of the second by then.
  const writer = new Database(fresh.file, { strict: true });
  writer.run("BEGIN IMMEDIATE");
  const third = deployments.publish(publication("b"));
  writer.run("UPDATE sites SET active_deployment_id = (SELECT id FROM deployments WHERE number = 1)");
  writer.run("COMMIT");
  writer.close();

  expect(await third).toMatchObject({ outcome: "published", deployment: { number: 3, active: true } });
  expect((await sites.find("demo"))?.activeDeployment).toBe(3);
});
