import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { addPerson, addSite } from "../contract/people.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

test("due deliveries are found at once, however many wait", async () => {
  const { id: siteId } = await addSite(fresh.store, "demo", (await addPerson(fresh.store, "ada")).id, false);
  const facts = { siteId, url: "https://a.example/", events: null, secret: "whsec_", createdAt: 0 };
  for (const id of ["a", "b"]) await fresh.store.webhooks.add({ id, ...facts }, 9);
  const db = new Database(fresh.file);
  db.run("INSERT INTO webhook_events (id, type, at, data) VALUES ('one', 'ping', 1, '{}')");
  db.run(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 100000)
    INSERT INTO webhook_deliveries (webhook_id, event_id, next_attempt_at)
    SELECT iif(n % 2, 'a', 'b'), 'one', n FROM n`);
  db.close();
  const times: number[] = [];
  for (let now = 200_000; now < 200_009; now++) {
    const begun = performance.now();
    const turn = {
      now,
      horizon: 900_000,
      restHorizon: 900_000,
      until: now + 1,
      limit: 9,
      maxOfOwner: 9,
      maxFailing: 9,
    };
    const due = await fresh.store.webhooks.takeDue(turn);
    times.push(performance.now() - begun);
    expect(due.map(({ id }) => id)).toEqual([1, 2]);
  }
  expect(Math.min(...times)).toBeLessThan(5);
});
