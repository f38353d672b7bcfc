import type { Socket } from "bun";
import type { DatabaseUrl } from "../../../domain/database-url.ts";

/** Between a store and its server: a network that fails. */
export interface FaultyNetwork {
  /** The same database, by way of this network. */
  readonly url: DatabaseUrl;
  /** Holds all bytes back from now on, like a server that was stopped. */
  hang(): void;
  /** The same from the next request with this text on, which the server does not get. */
  hangAt(text: string): void;
  /** Forwards the held bytes, and all later ones. */
  resume(): void;
  /** Ends the next connection whose commit the server has answered, instead of forwarding the response. */
  loseNextCommit(): void;
  /** Ends the next connection that commits, before the server gets it. */
  dropNextCommit(): void;
  stop(): void;
}

/** One connection: bytes that arrived before the other side was there, and whether its commit is to be lost. */
interface Side {
  other: Socket<Side> | null;
  readonly waiting: Uint8Array[];
  isCommitting: boolean;
}

const newSide = (): Side => ({ other: null, waiting: [], isCommitting: false });

export async function startFaultyNetwork(url: DatabaseUrl): Promise<FaultyNetwork> {
  const { hostname, port } = url.hosts[0]!;
  const state = { isHanging: false, hangsAt: null as string | null, losesCommit: false, dropsCommit: false };
  const sides = new Set<Socket<Side>>();

  const forward = (from: Socket<Side>): void => {
    const { other, waiting } = from.data;
    if (state.isHanging || other === null) return;
    for (const bytes of waiting.splice(0)) other.write(bytes);
  };
  const close = (socket: Socket<Side>): void => {
    sides.delete(socket);
    socket.data.other?.end();
  };
  const open = (socket: Socket<Side>): void => {
    sides.add(socket);
  };
  const fromServer = {
    open,
    close,
    data(server: Socket<Side>, bytes: Uint8Array) {
      if (server.data.isCommitting) return void server.end();
      server.data.waiting.push(new Uint8Array(bytes));
      forward(server);
    },
  };
  const listener = Bun.listen<Side>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      async open(client) {
        client.data = newSide();
        open(client);
        const data = { ...newSide(), other: client };
        client.data.other = await Bun.connect<Side>({ hostname, port, data, socket: fromServer });
        forward(client);
      },
      close,
      data(client, bytes) {
        if (state.hangsAt !== null && Buffer.from(bytes).includes(state.hangsAt)) state.isHanging = true;
        const isCommit = Buffer.from(bytes).includes("COMMIT");
        if (state.dropsCommit && isCommit) {
          state.dropsCommit = false;
          return void client.end();
        }
        if (state.losesCommit && isCommit && client.data.other) {
          state.losesCommit = false;
          client.data.other.data.isCommitting = true;
        }
        client.data.waiting.push(new Uint8Array(bytes));
        forward(client);
      },
    },
  });

  return {
    url: { ...url, hosts: [{ hostname: "127.0.0.1", port: listener.port }] },
    hang() {
      state.isHanging = true;
    },
    hangAt(text) {
      state.hangsAt = text;
    },
    resume() {
      state.isHanging = false;
      state.hangsAt = null;
      for (const socket of sides) forward(socket);
    },
    loseNextCommit() {
      state.losesCommit = true;
    },
    dropNextCommit() {
      state.dropsCommit = true;
    },
    stop() {
      listener.stop(true);
      for (const socket of sides) socket.end();
    },
  };
}
