import { expect, test } from "bun:test";
import type { PostgresConnection } from "../postgres/connection.ts";
import { newLoadAhead } from "./load-ahead.ts";
import type { Replica } from "./replica.ts";

test("a deployment that cannot be loaded is tried again after the others", async () => {
  const loaded: number[] = [];
  const replica: Partial<Replica> = {
    lackingFiles: () => [1, 2, 3].filter((id) => !loaded.includes(id)),
    hasFiles: (id) => loaded.includes(id),
    formerOf: () => [],
    addFiles: async (id) => loaded.push(id) > 0,
  };
  let reads = 0;
  const read = async () => {
    if (++reads === 1) throw new Error("too slow");
    return {};
  };
  const { run, request } = newLoadAhead({ read } as unknown as PostgresConnection, replica as Replica);
  await expect(run()).rejects.toThrow("too slow");
  await run();
  expect(loaded).toEqual([2, 3]);
  await run();
  expect(loaded).toEqual([2, 3, 1]);
  await run();
  request();
  await run();
  expect(reads).toBe(4);
});
