import { dlopen, ptr } from "bun:ffi";

/** A socket that receives notifications as systemd does. Works on Linux with glibc or musl. */
interface NotifyReceiver extends Disposable {
  /** The messages so far, in order. */
  readonly messages: readonly string[];
  /** Resolves when a message contains the text. */
  until(text: string): Promise<void>;
}

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;

/** Listens at a path, or at a name of the abstract namespace, which begins with `@`. */
export function listenForNotifications(name: string): NotifyReceiver {
  const libc = loadLibc();
  const fd = libc.socket(AF_UNIX, SOCK_DGRAM, 0);
  const path = Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : `${name}\0`);
  const address = Buffer.concat([new Uint8Array(Uint16Array.of(AF_UNIX).buffer), path]);
  if (libc.bind(fd, ptr(address), address.length) !== 0) throw new Error(`cannot listen at ${name}`);
  const buffer = Buffer.alloc(4096);
  const messages: string[] = [];
  const timer = setInterval(() => {
    for (;;) {
      const length = Number(libc.recv(fd, ptr(buffer), buffer.length, MSG_DONTWAIT));
      if (length < 0) return;
      messages.push(buffer.toString("utf8", 0, length));
    }
  }, 2);
  return {
    messages,
    async until(text) {
      while (!messages.some((message) => message.includes(text))) await Bun.sleep(2);
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      libc.close(fd);
    },
  };
}

function loadLibc() {
  const functions = {
    socket: { args: ["int", "int", "int"], returns: "int" },
    bind: { args: ["int", "ptr", "u32"], returns: "int" },
    recv: { args: ["int", "ptr", "usize", "int"], returns: "i64" },
    close: { args: ["int"], returns: "int" },
  } as const;
  try {
    return dlopen("libc.so.6", functions).symbols;
  } catch {
    return dlopen("libc.so", functions).symbols;
  }
}
