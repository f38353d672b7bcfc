import { connect } from "node:net";
import { connect as secure } from "node:tls";

declare const self: Worker;

/**
 * A thread that connects to a port, sets the first element of `connected`, and posts the result of the TLS handshake:
 * `secure`, or the code of its error. The thread that listens can wait for `connected` without accepting anything.
 */
self.onmessage = ({ data }: MessageEvent<{ port: number; connected: Int32Array<SharedArrayBuffer> }>) => {
  const { port, connected } = data;
  const socket = connect(port, "127.0.0.1", () => {
    Atomics.store(connected, 0, 1);
    Atomics.notify(connected, 0);
    const connection = secure({ socket, rejectUnauthorized: false }, () => {
      self.postMessage("secure");
      connection.destroy();
    });
    connection.once("error", (error: NodeJS.ErrnoException) => self.postMessage(error.code));
  });
};
