import { expect, test } from "bun:test";
import { csvResponse } from "./csv.ts";

test("rows that cannot be read break off the file, and are reported", async () => {
  async function* rows() {
    yield "id\r\n";
    throw new Error("the database is gone");
  }
  const reported: unknown[] = [];
  const response = csvResponse("audit.csv", rows(), (error) => reported.push(error));
  await expect(response.text()).rejects.toThrow("the database is gone");
  expect(reported).toEqual([new Error("the database is gone")]);
});
