// Opens a thousand slow connections (some send a request or an upload byte by byte, some read a large file slowly), and
// measures how long other clients wait meanwhile.
//   node scripts/with-bun.mjs scripts/reliability/slow.ts [CONNECTIONS; default 1000] [SECONDS; default 20]
import type { Socket } from "bun";
import { zipOf } from "../../src/acceptance/testing/archives.ts";
import {
  deploy,
  type ServingProcess,
  scratchFolder,
  signUp,
  startProcess,
} from "../../src/acceptance/testing/executable.ts";
import { holdUntilEnd, startSlowClients, summaryOf, visitFor } from "./slow-clients.ts";

/** What a slow connection sends periodically, and how much of the response it reads. */
interface Slowness {
  readonly head: string;
  readonly drip: string;
}

const DRIP_INTERVAL_MS = 2000;
const CLIENTS = 4;

if (process.argv[2] === "hold") await hold(process.argv.slice(3));
else await measure(Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 20));

async function measure(connections: number, seconds: number): Promise<void> {
  using folder = scratchFolder();
  const token = await signUp(folder.path, "ada");
  const server = await startProcess(folder.path, ["--log", "off"]);
  const big = new Uint8Array(20_000_000).fill(7);
  await deploy(server, token, "demo", await zipOf({ "index.html": "<h1>home</h1>", "big.bin": big }));

  await waits(server, token, 2);
  const alone = await waits(server, token, seconds);
  const slow = await startSlowClients(import.meta.path, ["hold", `${server.port}`, `${connections}`, token]);
  const among = await waits(server, token, seconds);
  const held = Number(await slow.end());
  await server.end("SIGKILL");

  const failures = [
    ...(among.p99 < 50 ? [] : [`99 of 100 wait ${among.p99} ms`]),
    ...(among.failed === 0 ? [] : [`${among.failed} requests failed`]),
    ...(held >= connections * 0.9 ? [] : [`only ${held} slow connections were held`]),
  ];
  console.log(JSON.stringify({ connections, held, seconds, alone, among, failures }, null, 2));
  process.exit(failures.length === 0 ? 0 : 1);
}

/** Returns how long other clients wait, in milliseconds, for pages and the API in turn. */
async function waits(server: ServingProcess, token: string, seconds: number) {
  const times: number[] = [];
  const ask = (turn: number) =>
    turn % 2
      ? server.fetch("/", { site: "demo" })
      : server.fetch("/sites", { headers: { Authorization: `Bearer ${token}` } });
  const clients = Array.from({ length: CLIENTS }, () => visitFor(seconds, ask, (time) => times.push(time)));
  const failed = (await Promise.all(clients)).reduce((total, count) => total + count, 0);
  return { ...summaryOf(times), failed };
}

// --- the slow ones ---

async function hold([port, connections, token]: readonly string[]): Promise<void> {
  const kinds = slownesses(Number(port), token ?? "");
  let open = 0;
  const connect = async (kind: Slowness): Promise<void> => {
    const drip = (socket: Socket) => socket.write(kind.drip);
    let timer: Timer | undefined;
    await Bun.connect({
      hostname: "127.0.0.1",
      port: Number(port),
      socket: {
        open(socket) {
          open++;
          socket.write(kind.head);
          if (kind.drip) timer = setInterval(drip, DRIP_INTERVAL_MS, socket);
        },
        // The client stops reading most of the time, so that the response stays in the server's memory.
        data(socket) {
          socket.pause();
          setTimeout(() => socket.resume(), DRIP_INTERVAL_MS);
        },
        // A connection that the server closes is opened again, as an attacker would do.
        close() {
          open--;
          clearInterval(timer);
          setTimeout(connect, 100, kind);
        },
        error() {},
      },
    });
  };
  const all = Array.from({ length: Number(connections) }, (_, index) =>
    connect(kinds[index % kinds.length] as Slowness),
  );
  await Promise.all(all);
  holdUntilEnd(() => `${open}`);
}

function slownesses(port: number, token: string): readonly Slowness[] {
  const host = (label: string) => `Host: ${label}localhost:${port}\r\n`;
  const boundary = "slow";
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="site.zip"\r\n\r\n`;
  const upload = [
    `POST /deploy HTTP/1.1\r\n${host("")}`,
    `Authorization: Bearer ${token}\r\nContent-Length: 1000000\r\n`,
    `Content-Type: multipart/form-data; boundary=${boundary}\r\n\r\n${part}`,
  ].join("");
  return [
    { head: `GET / HTTP/1.1\r\n${host("demo.")}X-Slow: `, drip: "x" },
    { head: upload, drip: "x" },
    { head: `GET /big.bin HTTP/1.1\r\n${host("demo.")}\r\n`, drip: "" },
  ];
}
