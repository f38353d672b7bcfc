/** Below the ephemeral ports, which start at 32768 on Linux, so that no outgoing connection takes the port. */
const LOWEST = 10_240;
const COUNT = 20_000;

const given = new Set<number>();

/** Returns a loopback port that is free now, for a program whose address others need before it starts. */
export function freePort(): number {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    if (given.has(port) || isTaken(port)) continue;
    given.add(port);
    return port;
  }
  throw new Error("no port is free");
}

function isTaken(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, exclusive: true, socket: { data() {} } }).stop(true);
    return false;
  } catch {
    return true;
  }
}
