import { expect } from "bun:test";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { freePort } from "../../testing/free-port.ts";
import { needing } from "../../testing/needing.ts";
import { type Responder, startResponder } from "./responder.ts";

const { afterAll, beforeAll, describe, test } = needing("dig");

const ZONE = "_acme-challenge.example.org";
const failures: unknown[] = [];
const published = new Map<string, string[]>();
let responder: Responder;

beforeAll(async () => {
  const zones = { names: [ZONE], nameserver: "pages.example.org", texts: (name: string) => published.get(name) ?? [] };
  responder = await startResponder({ host: "127.0.0.1", port: freePort() }, zones, (error) => failures.push(error));
});

afterAll(async () => {
  await responder.close();
  expect(failures).toEqual([]);
});

async function dig(...args: string[]): Promise<string> {
  // Several attempts, because the system may drop a valid query after a flood.
  const at = ["@127.0.0.1", "-p", String(responder.port), "+time=2", "+tries=15"];
  const process = Bun.spawn(["dig", ...at, ...args], { stdout: "pipe", stderr: "ignore" });
  const output = await new Response(process.stdout).text();
  return output.replaceAll(/^;; communications error.*\n/gm, "");
}

const header = (output: string) => `${/status: (\w+)/.exec(output)?.[1]} ${/flags: ([\w ]+);/.exec(output)?.[1]}`;

/** Sends bytes over UDP, and waits until the responder answers a valid query again. */
async function survives(bytes: Uint8Array): Promise<void> {
  const socket = createSocket("udp4");
  await new Promise((sent) => socket.send(bytes, responder.port, "127.0.0.1", sent));
  socket.close();
  expect(header(await dig("SOA", ZONE))).toBe("NOERROR qr aa rd");
}

describe.each([
  ["UDP", "+notcp"],
  ["TCP", "+tcp"],
])("over %s", (_, transport) => {
  test("pending challenges are all answered, for any case of the name", async () => {
    published.set(ZONE, ["first", "second"]);
    const output = await dig(transport, "+short", "TXT", "_ACME-challenge.Example.ORG");
    expect(output.trim().split("\n").sort()).toEqual(['"first"', '"second"']);
    published.clear();
    expect(await dig(transport, "+short", "TXT", ZONE)).toBe("");
  });

  test.each([
    ["TXT", ZONE, "NOERROR qr aa rd", "SOA"],
    ["A", ZONE, "NOERROR qr aa rd", "SOA"],
    ["CAA", ZONE, "NOERROR qr aa rd", "SOA"],
    ["NS", ZONE, "NOERROR qr aa rd", "pages.example.org."],
    ["SOA", ZONE, "NOERROR qr aa rd", "pages.example.org. hostmaster.pages.example.org."],
    ["TXT", `deeper.${ZONE}`, "NXDOMAIN qr aa rd", "SOA"],
    ["A", "example.org", "REFUSED qr rd", ""],
    ["TXT", "_acme-challenge.example.com", "REFUSED qr rd", ""],
    ["TXT", `x${ZONE}`, "REFUSED qr rd", ""],
    ["ANY", ".", "REFUSED qr rd", ""],
  ])("%s %s: %s %s", async (type, name, expected, content) => {
    const output = await dig(transport, type, name);
    expect(header(output)).toBe(expected);
    expect(output).toContain(content);
  });
});

test("a name of another class is refused", async () => {
  expect(header(await dig("-c", "CH", "TXT", ZONE))).toBe("REFUSED qr rd");
});

test("many values are truncated over UDP without EDNS, and complete over TCP", async () => {
  published.set(
    ZONE,
    Array.from({ length: 20 }, (_, n) => `${n}-${"x".repeat(40)}`),
  );
  expect(header(await dig("+noedns", "+ignore", "TXT", ZONE))).toBe("NOERROR qr aa tc rd");
  const whole = await dig("+noedns", "+short", "TXT", ZONE);
  expect(whole.trim().split("\n")).toHaveLength(20);
  published.clear();
});

test("everything after the question is ignored, except EDNS, which the response has, too", async () => {
  expect(await dig("+edns=0", "SOA", ZONE)).toContain("OPT PSEUDOSECTION");
  expect(await dig("+noedns", "SOA", ZONE)).not.toContain("OPT PSEUDOSECTION");
  expect(header(await dig("+edns=0", "+nsid", "+cookie", "+subnet=192.0.2.0/24", "SOA", ZONE))).toBe(
    "NOERROR qr aa rd",
  );
});

test("a response over UDP is not longer than what avoids fragmentation", async () => {
  published.set(
    ZONE,
    Array.from({ length: 40 }, (_, n) => `${n}-${"x".repeat(40)}`),
  );
  expect(header(await dig("+bufsize=65000", "+ignore", "TXT", ZONE))).toBe("NOERROR qr aa tc rd");
  expect((await dig("+bufsize=65000", "+short", "TXT", ZONE)).trim().split("\n")).toHaveLength(40);
  published.clear();
});

test.each([
  ["+opcode=update", "NOTIMP qr rd"],
  ["+opcode=notify", "NOTIMP qr rd"],
])("the unsupported operation %s gets %s", async (operation, expected) => {
  expect(header(await dig(operation, "SOA", ZONE))).toBe(expected);
});

describe("hostile packets harm nothing", () => {
  const question = [0, 1, 0, 0, 0, 0, 0, 0];
  test.each([
    ["empty", []],
    ["a header alone", [1, 2, 0, 0, ...question]],
    ["a pointer to itself", [1, 2, 0, 0, ...question, 0xc0, 12, 0, 16, 0, 1]],
    ["65,535 questions", [1, 2, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]],
    ["a label beyond the end", [1, 2, 0, 0, ...question, 63, 97]],
    ["an answer", [1, 2, 0x80, 0, ...question, 1, 97, 0, 0, 16, 0, 1]],
    ["an update", [1, 2, 0x28, 0, ...question, 1, 97, 0, 0, 16, 0, 1]],
    ["NULs in a name", [1, 2, 0, 0, ...question, 3, 0, 0, 0, 0, 0, 16, 0, 1]],
  ])("%s", async (_, bytes) => {
    await survives(new Uint8Array(bytes));
  });

  /** 65,500 bytes of records, each with two pointers to a name of 126 labels. */
  const pointers = () => {
    const bytes = Buffer.alloc(65_500);
    const name = [...Array(126).fill([1, 97]).flat(), 0];
    bytes.set([1, 2, 0, 0, 0, 1, 0x11, 0x11, 0, 0, 0, 0, ...name, 0, 16, 0, 1]);
    const record = [0xc0, 12, 0, 2, 0, 1, 0, 0, 0, 1, 0, 2, 0xc0, 12];
    for (let at = 16 + name.length; at + record.length <= bytes.length; at += record.length) bytes.set(record, at);
    return bytes;
  };

  test("datagrams full of compression pointers do not delay valid queries", async () => {
    const socket = createSocket("udp4");
    const honest = Buffer.from([7, 7, 0, 0, ...question, 1, 97, 0, 0, 16, 0, 1]);
    const begun = process.cpuUsage();
    for (let n = 0; n < 40; n++) {
      socket.send(pointers(), responder.port, "127.0.0.1");
      socket.send(honest, responder.port, "127.0.0.1");
      let response: Buffer;
      do [response] = await once(socket, "message");
      while (response.readUInt16BE(0) !== honest.readUInt16BE(0));
    }
    // Decoding the whole datagram would take 40 ms of CPU time or more.
    expect(process.cpuUsage(begun).user / 1000).toBeLessThan(1000);
    socket.close();
  });

  test("such a message over TCP closes its connection unread", async () => {
    const socket = connect(responder.port, "127.0.0.1");
    const bytes = pointers();
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => {});
    socket.write(Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes.subarray(0, 1000)]));
    await ended;
    expect(header(await dig("+tcp", "SOA", ZONE))).toBe("NOERROR qr aa rd");
  });

  test("two thousand responses sent to it do not exhaust it", async () => {
    const socket = createSocket("udp4");
    const response = new Uint8Array([1, 2, 0x80, 0, ...question, 1, 97, 0, 0, 16, 0, 1]);
    for (let n = 0; n < 2000; n++) socket.send(response, responder.port, "127.0.0.1");
    await new Promise((sent) => socket.send(response, responder.port, "127.0.0.1", sent));
    socket.close();
    expect(header(await dig("SOA", ZONE))).toBe("NOERROR qr aa rd");
  });

  test("a TCP connection that ends in the middle of a message", async () => {
    const socket = connect(responder.port, "127.0.0.1");
    await new Promise((written) => socket.write(new Uint8Array([255, 255, 1]), written));
    socket.destroy();
    expect(header(await dig("+tcp", "SOA", ZONE))).toBe("NOERROR qr aa rd");
  });
});

test("an address in use is reported in one sentence", async () => {
  const zones = { names: [ZONE], nameserver: "pages.example.org", texts: () => [] };
  const second = startResponder({ host: "127.0.0.1", port: responder.port }, zones, () => {});
  await expect(second).rejects.toThrow(`the DNS responder cannot listen on 127.0.0.1 port ${responder.port}: `);
});
