import { afterEach, expect, test } from "bun:test";
import { newResponseMemoryTable, ResponseMemory } from "./response-memory.ts";

const KIB = 1024;
const ended = new Set<Request>();
/** The listener knows a request's address until the request has ended. */
const server = {
  requestIP: (request: Request) => (ended.has(request) ? null : ({ address: "", port: 0, family: "IPv4" } as const)),
};

const memories: ResponseMemory[] = [];
afterEach(() => {
  for (const memory of memories.splice(0)) memory.stop();
});

function memoryOf(kibibytes: number, table = newResponseMemoryTable(kibibytes * KIB)) {
  const memory = new ResponseMemory(table);
  memories.push(memory);
  const take = (address: string, kibibytes: number, share?: number): Request | null => {
    const request = new Request("http://a.test");
    return memory.take(request, server, address, kibibytes * KIB, share) ? request : null;
  };
  /** Takes memory for an address until none is left. Returns the requests. */
  const fill = (address: string, kibibytes: number): Request[] => {
    const taken: Request[] = [];
    for (let one = take(address, kibibytes); one !== null; one = take(address, kibibytes)) taken.push(one);
    return taken;
  };
  return { table, take, fill };
}

test("an address gets half of the memory, and later ones half of the rest, so that newcomers get some", () => {
  const { fill } = memoryOf(1000);
  expect(fill("192.0.2.1", 10)).toHaveLength(50);
  expect(fill("192.0.2.2", 10)).toHaveLength(25);
  expect(fill("192.0.2.3", 10)).toHaveLength(13);
  expect(fill("192.0.2.4", 10).length).toBeGreaterThan(0);
});

test("the addresses of an IPv6 subscriber count as one", () => {
  const { fill, take } = memoryOf(1000);
  fill("2001:db8::1", 10);
  expect(take("2001:db8::ffff:2", 10)).toBeNull();
  expect(take("2001:db8:0:1::1", 10)).not.toBeNull();
});

test("the memory of an ended request is available again at once", () => {
  const { fill, take, table } = memoryOf(1000);
  const taken = fill("192.0.2.1", 10);
  for (const request of taken.slice(0, 5)) ended.add(request);
  expect(fill("192.0.2.1", 10)).toHaveLength(5);
  for (const request of taken) ended.add(request);
  for (let visit = 0; visit < 20; visit++) ended.add(take("192.0.2.9", 10)!);
  expect(table.total[0]).toBeLessThan(200);
});

test("responses that end quickly are never refused, and do not add up", () => {
  const { take, table } = memoryOf(1000);
  for (let visit = 0; visit < 10_000; visit++) ended.add(take("192.0.2.1", 100)!);
  expect(table.total[0]).toBeLessThanOrEqual(200);
});

test("threads share the memory, and one that stops releases its part", () => {
  const first = memoryOf(1000);
  const second = memoryOf(1000, first.table);
  expect(first.fill("192.0.2.1", 10)).toHaveLength(50);
  expect(second.take("192.0.2.1", 10)).toBeNull();
  expect(second.fill("192.0.2.2", 10)).toHaveLength(25);
  for (const memory of memories) memory.stop();
  expect([first.table.total[0], first.table.byClient.some((kept) => kept !== 0)]).toEqual([0, false]);
});

test("a request for a share of it leaves the rest to others", () => {
  const { take, fill } = memoryOf(1000);
  fill("192.0.2.1", 10);
  expect(take("192.0.2.2", 10, 0.4)).toBeNull();
  expect(take("192.0.2.2", 10, 0.75)).not.toBeNull();
});
