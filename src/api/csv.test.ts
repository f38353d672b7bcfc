import { expect, test } from "bun:test";
import type { KeptAuditEntry } from "../domain/ports/store/audit.ts";
import { auditCsv, csvResponse } from "./csv.ts";

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

const entry = (id: number, subject = ""): KeptAuditEntry => ({
  ...{
    id,
    at: 0,
    kind: "session",
    actor: "ada",
    userId: 1,
    address: "192.0.2.1",
    action: "POST /deploy",
    site: "blog",
  },
  subject,
});

test.each([999, 1000, 1001, 2000])("a log of %d entries is complete, newest first", async (count) => {
  const all = Array.from({ length: count }, (_, index) => entry(count - index));
  const lines = await auditCsv(async ({ limit, before }) =>
    all.filter(({ id }) => before === null || id < before).slice(0, limit),
  );
  const text = (await Array.fromAsync(lines)).join("");
  const ids = text
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((line) => Number(line.split(",", 1)));
  expect(ids).toEqual(all.map(({ id }) => id));
});

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@sum", "'@sum"],
  ["\t=1", "'\t=1"],
  ["\r=1", `"'\r=1"`],
  ["a=1", "a=1"],
  ['a "quote", and more', '"a ""quote"", and more"'],
])("the cell %j is written as %j", async (subject, cell) => {
  const [, line] = await Array.fromAsync(await auditCsv(async () => [entry(1, subject)]));
  expect(line).toEndWith(`,blog,${cell}\r\n`);
});
