import { describe, expect, test } from "bun:test";
import { MAX_QUERY_BYTES, readQuery } from "./query.ts";

const header = (more: { flags?: [number, number]; counts?: number[] } = {}) => {
  const { flags = [1, 0], counts = [1, 0, 0, 0] } = more;
  return [0x12, 0x34, ...flags, ...counts.flatMap((count) => [count >> 8, count & 255])];
};
const label = (text: string) => [text.length, ...Buffer.from(text, "latin1")];
const TXT_IN = [0, 16, 0, 1];
const question = [...label("_acme-challenge"), ...label("Example"), ...label("org"), 0, ...TXT_IN];
const opt = (payload: number) => [0, 0, 41, payload >> 8, payload & 255, 0, 0, 0, 0, 0, 0];
const read = (...bytes: number[][]) => readQuery(Buffer.from(bytes.flat()));

test("a query is its id, flags and one question", () => {
  expect(read(header(), question)).toEqual({
    id: 0x1234,
    opcode: 0,
    recursionDesired: true,
    question: { name: "_acme-challenge.Example.org", type: 16, class: 1 },
    payloadSize: null,
  });
});

test.each([
  [1232, 1232],
  [512, 512],
  [0, 512],
  [65_535, 1232],
])("a client that accepts %p bytes over UDP gets up to %p", (announced, payloadSize) => {
  expect(read(header({ counts: [1, 0, 0, 1] }), question, opt(announced))).toMatchObject({ payloadSize });
});

test.each([
  ["records in the answer section", header({ counts: [1, 9, 0, 0] }), opt(1232)],
  ["an additional record that is another", header({ counts: [1, 0, 0, 1] }), [0, 0, 250, 4, 208]],
  ["an additional record that is cut off", header({ counts: [1, 0, 0, 1] }), [0, 0]],
  ["an additional record with a name", header({ counts: [1, 0, 0, 1] }), [0xc0, 12, 0, 41, 4, 208]],
])("%s are ignored", (_what, head, more) => {
  expect(read(head, question, more)).toMatchObject({ question: { type: 16 }, payloadSize: null });
});

describe("without exactly one question, which gets an error", () => {
  test.each([
    ["none", header({ counts: [0, 0, 0, 0] })],
    ["two", header({ counts: [2, 0, 0, 0] })],
    ["65,535", header({ counts: [65_535, 65_535, 65_535, 65_535] })],
    ["one of an update", header({ flags: [0x28, 0] })],
  ])("%s", (_what, head) => {
    expect(read(head, question)).toMatchObject({ id: 0x1234, question: null });
  });
});

describe("packets that are no queries and get no reply", () => {
  const at = 12;
  test.each([
    ["nothing", []],
    ["half a header", header().slice(0, 11)],
    ["a header alone", header()],
    ["an answer", [...header({ flags: [0x81, 0] }), ...question]],
    ["a pointer to itself", [...header(), 0xc0, at, ...TXT_IN]],
    ["a pointer behind a label", [...header(), ...label("a"), 0xc0, at, ...TXT_IN]],
    ["a label of an unknown kind", [...header(), 0x40, ...label("a"), 0, ...TXT_IN]],
    ["a label beyond the end", [...header(), 63, 97]],
    ["a name without an end", [...header(), ...label("a")]],
    ["a question without its class", [...header(), ...label("a"), 0, 0, 16, 0]],
    [
      "a name of 256 octets",
      [
        ...header(),
        ...Array(4)
          .fill(label("x".repeat(63)))
          .flat(),
        0,
        ...TXT_IN,
      ],
    ],
    ["NULs in a name", [...header(), 3, 0, 0, 0, 0, ...TXT_IN]],
    ["a dot in a label", [...header(), ...label("a.b"), 0, ...TXT_IN]],
    ["a letter beyond ASCII", [...header(), ...label("é"), 0, ...TXT_IN]],
  ])("%s", (_what, bytes) => {
    expect(read(bytes)).toBeNull();
  });

  test("a message longer than any valid query", () => {
    const padded = (length: number) => Buffer.concat([Buffer.from([...header(), ...question])], length);
    expect(readQuery(padded(MAX_QUERY_BYTES))).not.toBeNull();
    expect(readQuery(padded(MAX_QUERY_BYTES + 1))).toBeNull();
  });
});

test("any bytes are parsed quickly and without an exception", () => {
  const begun = process.cpuUsage();
  for (let n = 0; n < 20_000; n++) {
    const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(n % (MAX_QUERY_BYTES + 1))));
    if (bytes.length > 12) bytes.set([0, 0, 0, 1], 2);
    readQuery(bytes);
  }
  // CPU time, because the machine may be busy.
  expect(process.cpuUsage(begun).user / 1000).toBeLessThan(2000);
});
