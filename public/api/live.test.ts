import { beforeEach, describe, expect, test } from "bun:test";
import type { ServerEvent } from "./event-lines.ts";
import { LiveConnection } from "./live.ts";

let connection: LiveConnection;
let hidden: boolean;
let requested: string[];
let responses: (() => Promise<Response>)[];
let waits: { readonly milliseconds: number; readonly run: () => void }[];
let seen: string[];

beforeEach(() => {
  hidden = false;
  requested = [];
  responses = [];
  waits = [];
  seen = [];
  connection = new LiveConnection({
    connect(lastId, signal) {
      requested.push(lastId);
      const response = responses.shift();
      signal.addEventListener("abort", () => seen.push("aborted"));
      return response ? response() : Promise.reject(new Error("nobody is there"));
    },
    isHidden: () => hidden,
    later(milliseconds, run) {
      const wait = { milliseconds, run };
      waits.push(wait);
      return () => {
        waits = waits.filter((other) => other !== wait);
      };
    },
    random: () => 0.5,
    changed: (events: readonly ServerEvent[]) => seen.push(...events.map(({ type }) => type)),
    lost: () => seen.push("lost"),
  });
});

const settle = () => Bun.sleep(0);

/** A stream with the content `text`, which ends on request. */
function stream(text: string): { readonly respond: () => Promise<Response>; readonly end: () => void } {
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      end = () => controller.close();
    },
  });
  const response = new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  return { respond: async () => response, end: () => end() };
}

const EVENT = 'id: 7\nevent: site.changed\ndata: {"site":"blog"}\n\n';

describe("a connection", () => {
  test("receives events, and continues after the last one when it is lost", async () => {
    const first = stream(`id: 6\n\n${EVENT}`);
    responses = [first.respond, stream("").respond];
    connection.update();
    await settle();
    expect(seen).toEqual(["site.changed"]);
    first.end();
    await settle();
    expect(seen).toEqual(["site.changed", "aborted", "lost"]);
    expect([connection.isOpen, waits.map(({ milliseconds }) => milliseconds)]).toEqual([false, [1000]]);
    waits[0]?.run();
    await settle();
    expect([requested, connection.isOpen]).toEqual([["", "7"], true]);
  });

  test("that is lost within an event gets the event again", async () => {
    const cut = stream(EVENT.slice(0, -10));
    responses = [cut.respond, stream(EVENT).respond];
    connection.update();
    await settle();
    cut.end();
    await settle();
    waits[0]?.run();
    await settle();
    expect([requested, connection.isOpen, seen]).toEqual([["", ""], true, ["aborted", "lost", "site.changed"]]);
  });

  test("waits longer after each failure, up to a minute", async () => {
    const times: number[] = [];
    connection.update();
    for (let failure = 0; failure < 6; failure++) {
      await settle();
      times.push(waits[0]?.milliseconds ?? 0);
      waits[0]?.run();
    }
    expect(times).toEqual([1000, 2000, 5000, 15_000, 60_000, 60_000]);
  });

  test.each([401, 403, 404, 429, 503])("that is refused with %d waits a minute", async (status) => {
    responses = [async () => Response.json({}, { status })];
    connection.update();
    await settle();
    expect([connection.isOpen, waits.map(({ milliseconds }) => milliseconds), seen]).toEqual([
      false,
      [60_000],
      ["aborted"],
    ]);
  });

  test("that gets another response than a stream, such as from a proxy, waits a minute", async () => {
    responses = [async () => new Response("<html>")];
    connection.update();
    await settle();
    expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([60_000]);
  });

  test("that is silent for 45 seconds is closed", async () => {
    responses = [stream("id: 6\n\n").respond];
    connection.update();
    await settle();
    expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([45_000]);
    waits[0]?.run();
    await settle();
    expect([connection.isOpen, waits.map(({ milliseconds }) => milliseconds)]).toEqual([false, [1000]]);
  });

  test("is closed while the tab is hidden, and continues when it is visible", async () => {
    responses = [stream("id: 6\n\n").respond, stream("").respond];
    connection.update();
    await settle();
    hidden = true;
    connection.update();
    await settle();
    expect([connection.isOpen, waits, requested.length]).toEqual([false, [], 1]);
    expect(seen).toEqual(["aborted"]);
    hidden = false;
    connection.update();
    connection.update();
    await settle();
    expect(requested).toEqual(["", "6"]);
  });

  test("reconnects at once when the tab becomes visible during a wait", async () => {
    connection.update();
    await settle();
    connection.retryNow();
    await settle();
    expect(requested.length).toBe(2);
    expect(waits.length).toBe(1);
  });
});
