import { expect, test } from "bun:test";
import { join } from "node:path";
import { needing } from "../testing/needing.ts";
import { executable, scratchFolder } from "./testing/executable.ts";
import { listenForNotifications } from "./testing/notify-receiver.ts";

/** Starts the program as systemd does. Returns its notifications until it exited. */
async function supervised(socket: string, env: Readonly<Record<string, string>>, seen: string): Promise<string[]> {
  using folder = scratchFolder();
  using receiver = listenForNotifications(socket.replace("FOLDER", folder.path));
  const child = Bun.spawn(
    [await executable(), "serve", "--data-dir", join(folder.path, "data"), "--listen", "127.0.0.1:0", "--workers", "2"],
    {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      env: { ...process.env, NOTIFY_SOCKET: socket.replace("FOLDER", folder.path), ...env },
    },
  );
  try {
    await receiver.until(seen);
    child.kill("SIGTERM");
    await receiver.until("STOPPING=1");
    expect(await child.exited).toBe(0);
    return [...receiver.messages];
  } finally {
    child.kill("SIGKILL");
  }
}

needing("linux").describe("under a service manager", () => {
  test.each([["FOLDER/notify"], [`@vitrine/${process.pid}/notify`]])(
    "it notifies %s that it is ready, alive and stopping",
    async (socket) => {
      const messages = await supervised(socket, { WATCHDOG_USEC: "300000" }, "WATCHDOG=1");
      const states = messages.map((message) => message.split("\n")[0]);
      expect(states.filter((line) => line !== "WATCHDOG=1")).toEqual(["READY=1", "STOPPING=1"]);
      expect(messages.find((message) => message.startsWith("READY"))).toMatch(/STATUS=Serving http:\/\/localhost:\d+$/);
      expect(states.at(-1)).toBe("STOPPING=1");
    },
  );

  test("it sends no watchdog messages if the unit has no watchdog, or it is for another process", async () => {
    expect((await supervised("FOLDER/notify", {}, "READY=1")).join()).not.toContain("WATCHDOG");
    const others = { WATCHDOG_USEC: "300000", WATCHDOG_PID: "1" };
    expect((await supervised("FOLDER/notify", others, "READY=1")).join()).not.toContain("WATCHDOG");
  });
});

test("an unreachable service manager does not stop the server", async () => {
  using folder = scratchFolder();
  const child = Bun.spawn(
    [await executable(), "serve", "--data-dir", folder.path, "--listen", "127.0.0.1:0", "--workers", "1"],
    { stdout: "ignore", stderr: "pipe", env: { ...process.env, NOTIFY_SOCKET: "/nowhere/at/all" } },
  );
  for await (const chunk of child.stderr) {
    if (new TextDecoder().decode(chunk).includes("Vitrine is running at")) break;
  }
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});
