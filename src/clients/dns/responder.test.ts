import { expect } from "bun:test";
import { createSocket } from "node:dgram";
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
  // Several tries: after a flood, the system itself may drop an honest question.
  const at = ["@127.0.0.1", "-p", String(responder.port), "+time=2", "+tries=5"];
  const process = Bun.spawn(["dig", ...at, ...args], { stdout: "pipe", stderr: "ignore" });
  return new Response(process.stdout).text();
}

const header = (output: string) => `${/status: (\w+)/.exec(output)?.[1]} ${/flags: ([\w ]+);/.exec(output)?.[1]}`;

/** Sends bytes by UDP and waits until the responder answers an honest question again. */
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
  test("pending challenges are answered, all of them, whatever the case", async () => {
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

test("many values over UDP without EDNS are cut short, and come whole over TCP", async () => {
  published.set(
    ZONE,
    Array.from({ length: 20 }, (_, n) => `${n}-${"x".repeat(40)}`),
  );
  expect(header(await dig("+noedns", "+ignore", "TXT", ZONE))).toBe("NOERROR qr aa tc rd");
  const whole = await dig("+noedns", "+short", "TXT", ZONE);
  expect(whole.trim().split("\n")).toHaveLength(20);
  published.clear();
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

  test("two thousand answers sent to it do not use it up", async () => {
    const socket = createSocket("udp4");
    const answer = new Uint8Array([1, 2, 0x80, 0, ...question, 1, 97, 0, 0, 16, 0, 1]);
    for (let n = 0; n < 2000; n++) socket.send(answer, responder.port, "127.0.0.1");
    await new Promise((sent) => socket.send(answer, responder.port, "127.0.0.1", sent));
    socket.close();
    expect(header(await dig("SOA", ZONE))).toBe("NOERROR qr aa rd");
  });

  test("a TCP connection that breaks off in the middle of a message", async () => {
    const socket = connect(responder.port, "127.0.0.1");
    await new Promise((written) => socket.write(new Uint8Array([255, 255, 1]), written));
    socket.destroy();
    expect(header(await dig("+tcp", "SOA", ZONE))).toBe("NOERROR qr aa rd");
  });
});

test("an address in use is one clear sentence", async () => {
  const zones = { names: [ZONE], nameserver: "pages.example.org", texts: () => [] };
  const second = startResponder({ host: "127.0.0.1", port: responder.port }, zones, () => {});
  await expect(second).rejects.toThrow(`the DNS responder cannot listen on 127.0.0.1 port ${responder.port}: `);
});
