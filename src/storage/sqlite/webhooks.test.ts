import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { DUE_DELIVERIES } from "../store/due-deliveries.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

test("due deliveries are searched by indexes, so the number of waiting ones does not matter", () => {
  using db = new Database(fresh.file);
  const plan = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${DUE_DELIVERIES}`).all();
  const deliveries = plan.map(({ detail }) => detail).filter((step) => /^\w+ (webhook_deliveries|d) /.test(step));
  const waiting = "SEARCH webhook_deliveries USING COVERING INDEX webhook_deliveries_due";
  expect(deliveries).toEqual([
    waiting,
    `${waiting} (webhook_id>?)`,
    "SCAN d USING INDEX webhook_deliveries_taken",
    "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
    `${waiting} (webhook_id=? AND next_attempt_at<?)`,
    `${waiting} (webhook_id=? AND next_attempt_at>?)`,
  ]);
});
