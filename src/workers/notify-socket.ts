import { ptr } from "bun:ffi";
import { openLibc } from "../storage/disk/libc.ts";

// Bun and Node.js have no datagram sockets of the Unix domain, which systemd requires.

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/** `sun_path` of sockaddr_un(7). */
const MAX_PATH = 108;

/** The service manager's socket, as in sd_notify(3). */
interface NotifySocket {
  /** Sends lines such as `READY=1`; false if that failed. Never blocks. */
  send(message: string): boolean;
  close(): void;
}

/**
 * Opens the socket in `NOTIFY_SOCKET`: a path, or a name in the abstract namespace after `@`. Null
 * if the system does not support it.
 */
export function openNotifySocket(name: string): NotifySocket | null {
  const address = socketAddress(name);
  const libc = openLibc({
    socket: { args: ["int", "int", "int"], returns: "int" },
    sendto: { args: ["int", "ptr", "usize", "int", "ptr", "u32"], returns: "i64" },
    close: { args: ["int"], returns: "int" },
  });
  if (address === null || libc === null) return null;
  const fd = libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return null;
  return {
    send(message) {
      const data = Buffer.from(message);
      const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
      return Number(libc.sendto(fd, ptr(data), data.length, flags, ptr(address), address.length)) === data.length;
    },
    close() {
      libc.close(fd);
    },
  };
}

/** Returns a sockaddr_un; null for an invalid name. */
function socketAddress(name: string): Buffer | null {
  const abstract = name.startsWith("@");
  if (!abstract && !name.startsWith("/")) return null;
  // A name of the abstract namespace starts with a zero byte, and ends with the address itself.
  const path = Buffer.from(abstract ? `\0${name.slice(1)}` : `${name}\0`);
  if (path.length > MAX_PATH) return null;
  const family = new Uint8Array(Uint16Array.of(AF_UNIX).buffer);
  return Buffer.concat([family, path]);
}
