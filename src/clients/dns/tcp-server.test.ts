import { afterEach, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TcpLimits, type TcpServer, tcpServer } from "./tcp-server.ts";

const LONG: TcpLimits = { lifetime: 60_000, connections: 100, messageBytes: 512 };
const QUESTION = Buffer.from([0, 3, 97, 98, 99]);

let server: TcpServer;
let answered = 0;
const failures: unknown[] = [];

/** Starts a server that responds to each message with `times` copies of it. */
async function start(limits: Partial<TcpLimits>, times = 1): Promise<() => Promise<Socket>> {
  answered = 0;
  server = tcpServer(
    (message) => {
      answered++;
      return Buffer.concat(Array(times).fill(message));
    },
    (error) => failures.push(error),
    { ...LONG, ...limits },
  );
  const port = await server.listen(0, "127.0.0.1");
  return async () => {
    // Never closes the connection itself.
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
}

afterEach(async () => {
  await server.close();
  expect(failures).toEqual([]);
});

/** Unlike `once`, treats a reset like a normal end. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** Resolves when the server has closed a connection, so that writes fail. */
async function released(socket: Socket): Promise<void> {
  socket.resume();
  const writing = setInterval(() => socket.write(QUESTION), 10);
  await closed(socket);
  clearInterval(writing);
}

test("a message that is too long closes its connection before it arrives", async () => {
  const socket = await (await start({}))();
  socket.write(Buffer.concat([QUESTION, Buffer.from([2, 1])]));
  const [first] = await once(socket, "data");
  expect([...first]).toEqual([...QUESTION]);
  await released(socket);
  expect(answered).toBe(1);
});

test("queries are answered in order, also in pieces and before a half-close", async () => {
  const socket = await (await start({}))();
  socket.write(Buffer.concat([QUESTION, Buffer.from([0])]));
  await once(socket, "data");
  socket.end(Buffer.from([2, 100, 101]));
  const [rest] = await once(socket, "data");
  expect([...rest]).toEqual([0, 2, 100, 101]);
  await once(socket, "end");
});

test("an idle connection is closed even if its peer keeps it open", async () => {
  const open = await start({ lifetime: 20 });
  const socket = await open();
  await once(socket.resume(), "end");
  await released(socket);
});

test("a connection that keeps sending queries is closed after a while, too", async () => {
  const open = await start({ lifetime: 50 });
  await released(await open());
});

test("the oldest connection is closed when there are too many", async () => {
  const open = await start({ connections: 2 });
  const [first, , third] = [await open(), await open(), await open()];
  await released(first);
  third.write(QUESTION);
  const [response] = await once(third, "data");
  expect([...response]).toEqual([...QUESTION]);
});

test("a client that reads no responses is not read from any more, and then closed", async () => {
  // A busy machine must read a first message before that.
  const open = await start({ lifetime: 2000 }, 10_000);
  const socket = await open();
  const questions = Buffer.concat(Array(10_000).fill(QUESTION));
  for (let sent = 0; sent < 40; sent++) socket.write(questions);
  await closed(socket);
  expect(answered).toBeWithin(1, 4000);
});

test("closing the server closes every connection", async () => {
  const open = await start({});
  const socket = await open();
  await server.close();
  await released(socket);
});

test("an address in use is refused", async () => {
  const socket = await (await start({}))();
  const second = tcpServer(
    () => null,
    () => {},
  );
  await expect(second.listen(socket.remotePort as number, "127.0.0.1")).rejects.toThrow("EADDRINUSE");
  await second.close();
});
