import { describe, expect, spyOn, test } from "bun:test";
import dns2 from "dns2";
import { newQuery, readReply } from "./message.ts";

const { Packet } = dns2;

const query = newQuery("www.example.org", "TXT", true);
/** The offset of the question's name in every reply. */
const QUESTION_NAME = 12;

/** A reply to `query` with this answer section. */
function reply(count: number, ...responses: Buffer[]): Buffer {
  const packet = new Packet();
  packet.header = new Packet.Header({ id: query.id, qr: 1 });
  packet.questions.push(new Packet.Question("www.example.org", Packet.TYPE.TXT, Packet.CLASS.IN));
  const head = packet.toBuffer();
  head.writeUInt16BE(count, 6);
  return Buffer.concat([head, ...responses]);
}

const end = reply(0).length;
const pointer = (to: number) => Buffer.from([0xc0 | (to >> 8), to & 0xff]);
const record = (owner: Buffer, type: number, data: Buffer, length = data.length) =>
  Buffer.concat([owner, Buffer.from([0, type, 0, 1, 0, 0, 0, 60, length >> 8, length & 0xff]), data]);
const txt = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
const values = (bytes: Buffer) => {
  const read = readReply(query, bytes);
  return { values: read?.values.get("www.example.org") ?? [], damaged: read?.damaged };
};

test("every query has another id, and declares its UDP size", () => {
  const ids = new Set(Array.from({ length: 50 }, () => newQuery("example.org", "A", true).id));
  expect(ids.size).toBeGreaterThan(45);
  const packet = Packet.parse(query.bytes);
  expect(packet.additionals[0]?.class).toBe(4096);
  expect(packet.header.rd).toBe(1);
});

describe("an answer section", () => {
  test("is read with compressed owners in any case", () => {
    const plain = Buffer.from("\u0003WWW\u0007Example\u0003ORG\u0000");
    const bytes = reply(2, record(pointer(QUESTION_NAME), 16, txt("one")), record(plain, 16, txt("two")));
    expect(values(bytes)).toEqual({ values: ["one", "two"], damaged: false });
  });

  test("skips other names, types and classes", () => {
    const other = record(Buffer.from("\u0001x\u0000"), 16, txt("other name"));
    const address = record(pointer(QUESTION_NAME), 1, Buffer.from([192, 0, 2, 1]));
    const chaos = record(pointer(QUESTION_NAME), 16, txt("other class"));
    chaos.writeUInt16BE(3, 4);
    expect(values(reply(3, other, address, chaos))).toEqual({ values: [], damaged: false });
  });

  test("of four thousand records is read completely", () => {
    const one = record(pointer(QUESTION_NAME), 16, txt("a"));
    expect(values(reply(4000, ...Array<Buffer>(4000).fill(one))).values).toHaveLength(4000);
  });

  test.each<[string, Buffer]>([
    ["fewer records than announced", reply(2, record(pointer(QUESTION_NAME), 16, txt("one")))],
    ["data that ends behind the message", reply(1, record(pointer(QUESTION_NAME), 16, txt("one"), 500))],
    ["a string that ends behind its record", reply(1, record(pointer(QUESTION_NAME), 16, Buffer.from([9, 65])))],
    ["a pointer to itself", reply(1, record(pointer(end), 16, txt("one")))],
    ["a pointer forward", reply(1, record(pointer(end + 40), 16, txt("one")), Buffer.alloc(60))],
    ["a name that leads round in a circle", reply(1, Buffer.from([1, 65]), record(pointer(end), 16, txt("one")))],
    [
      "a name of more than 255 octets",
      reply(1, ...Array<Buffer>(5).fill(Buffer.from(`?${"a".repeat(63)}`)), Buffer.from([0])),
    ],
    ["a label of a reserved kind", reply(1, Buffer.from([0x80, 1, 0]))],
  ])("with %s is damaged and not read further", (_, bytes) => {
    expect(values(bytes).damaged).toBeTrue();
  });

  test("with an address of the wrong length is damaged", () => {
    const requested = newQuery("www.example.org", "A", false);
    const packet = new Packet();
    packet.header = new Packet.Header({ id: requested.id, qr: 1 });
    packet.questions.push(new Packet.Question("www.example.org", Packet.TYPE.A, Packet.CLASS.IN));
    const head = packet.toBuffer();
    head.writeUInt16BE(1, 6);
    const bytes = Buffer.concat([head, record(pointer(QUESTION_NAME), 1, Buffer.alloc(5))]);
    expect(readReply(requested, bytes)?.damaged).toBeTrue();
  });
});

/** Data of a record that ends in this many pointers, each to the one before, and the offset of the last. */
function pointerChain(count: number): { readonly data: Buffer; readonly last: number } {
  const start = end + 1 + FIXED_OCTETS;
  const targets = [QUESTION_NAME, ...Array.from({ length: count - 1 }, (_, index) => start + 2 * index)];
  return { data: Buffer.concat(targets.map(pointer)), last: start + 2 * (count - 1) };
}
/** The part of a record between its owner and its data. */
const FIXED_OCTETS = 10;
const root = Buffer.from([0]);
const UNKNOWN_TYPE = 99;

test.each([
  [127, { values: ["one"], damaged: false }],
  [128, { values: [], damaged: true }],
  [8000, { values: [], damaged: true }],
])("a name of %d compression pointers is read or damaged: %p", (count, expected) => {
  // The record's owner is the first pointer.
  const { data, last } = pointerChain(count - 1);
  const bytes = reply(2, record(root, UNKNOWN_TYPE, data), record(pointer(last), 16, txt("one")));
  expect(values(bytes)).toEqual(expected);
});

test.each([
  ["127 pointers", pointerChain(126).data, 2],
  ["127 labels", Buffer.from(Array.from({ length: 16_000 }, (_, index) => (index % 250 < 246 ? 1 : 0))), 1],
])("each octet is read once, however many owners are names of up to %s", (_, data, step) => {
  const first = record(root, UNKNOWN_TYPE, data);
  const start = end + 1 + FIXED_OCTETS;
  const owners = Array.from({ length: 4000 }, (_, index) => pointer(start + ((index * step) % data.length)));
  const bytes = reply(4001, first, ...owners.map((owner) => record(owner, 1, Buffer.from([192, 0, 2, 1]))));
  const reads = spyOn(bytes, "readUInt8");
  expect(values(bytes)).toEqual({ values: [], damaged: false });
  expect(reads.mock.calls.length).toBeLessThan(bytes.length);
});

test("a reply with 65,535 questions is not read further", () => {
  const bytes = reply(0);
  bytes.writeUInt16BE(65_535, 4);
  const questions = Array<Buffer>(8000).fill(Buffer.from([0xc0, QUESTION_NAME, 0, 16, 0, 1]));
  const begun = process.cpuUsage();
  for (let n = 0; n < 10; n++) expect(readReply(query, Buffer.concat([bytes, ...questions]))).toBeNull();
  // CPU time, because the machine may be busy.
  expect(process.cpuUsage(begun).user / 1000).toBeLessThan(150);
});

test.each([0, 5, 11])("a message of %d bytes is no reply", (length) => {
  expect(readReply(query, reply(0).subarray(0, length))).toBeNull();
});

test("a truncated message yields no record that it does not contain", () => {
  const whole = reply(1, record(pointer(QUESTION_NAME), 16, txt("one")));
  for (let length = 0; length < whole.length; length++) {
    expect(readReply(query, whole.subarray(0, length))?.values.size ?? 0).toBe(0);
  }
});
