import type { Socket } from "bun";

/** A line to a server on this machine that can be cut. */
export interface TcpLink {
  readonly port: number;
  /** `cut` refuses and ends connections. `silent` accepts them, and passes nothing on. */
  state: "up" | "cut" | "silent";
  stop(): void;
}

interface End {
  other: Socket<End> | null;
  /** What arrived before the other end was open. */
  readonly early: Uint8Array[];
  /** What this end has not taken yet. */
  unsent: Uint8Array[];
}

/** Opens a line to a port of this machine. */
export function openTcpLink(port: number): TcpLink {
  const open = new Set<Socket<End>>();
  const pass = (to: Socket<End>, bytes: Uint8Array) => {
    to.data.unsent.push(bytes);
    if (to.data.unsent.length === 1) send(to);
  };
  const send = (to: Socket<End>) => {
    const { unsent } = to.data;
    for (let bytes = unsent[0]; bytes; bytes = unsent[0]) {
      const taken = Math.max(0, to.write(bytes));
      if (taken < bytes.length) {
        unsent[0] = bytes.subarray(taken);
        return;
      }
      unsent.shift();
    }
  };
  const handlers = (onOpen: (socket: Socket<End>) => void) => ({
    open(socket: Socket<End>) {
      open.add(socket);
      onOpen(socket);
    },
    data({ data: { other, early } }: Socket<End>, bytes: Uint8Array) {
      if (state === "silent") return;
      if (other === null) early.push(bytes.slice());
      else pass(other, bytes.slice());
    },
    drain: send,
    close(socket: Socket<End>) {
      open.delete(socket);
      socket.data.other?.end();
    },
    error() {},
  });
  let state: TcpLink["state"] = "up";
  const connect = (socket: Socket<End>) =>
    Bun.connect<End>({
      hostname: "127.0.0.1",
      port,
      data: { other: socket, early: [], unsent: [] },
      socket: handlers((server) => {
        socket.data.other = server;
        for (const bytes of socket.data.early.splice(0)) pass(server, bytes);
      }),
    }).catch(() => socket.end());
  const listener = Bun.listen<End>({
    hostname: "127.0.0.1",
    port: 0,
    socket: handlers((socket) => {
      socket.data = { other: null, early: [], unsent: [] };
      if (state === "cut") socket.terminate();
      else void connect(socket);
    }),
  });
  return {
    port: listener.port,
    get state() {
      return state;
    },
    set state(next) {
      state = next;
      if (next === "cut") for (const socket of [...open]) socket.terminate();
    },
    stop: () => listener.stop(true),
  };
}
