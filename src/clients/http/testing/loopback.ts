import { afterEach } from "bun:test";
import { createServer, type Socket } from "node:net";

/** Servers on loopback that are stopped after each test. `web` and `raw` return the port. */
export function loopbackServers() {
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });
  return {
    web(fetch: (request: Request) => Response | Promise<Response>, tls?: { cert: string; key: string }): number {
      const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch, ...(tls ? { tls } : {}) });
      stops.push(() => server.stop(true));
      return server.port as number;
    },
    /** Calls `talk` with the first bytes of a connection. */
    async raw(talk: (socket: Socket, sent: string) => void): Promise<number> {
      const server = createServer((socket) => {
        stops.push(() => socket.destroy());
        socket.on("error", () => {});
        socket.once("data", (sent) => talk(socket, sent.toString()));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      stops.push(() => server.close());
      return (server.address() as { port: number }).port;
    },
  };
}
