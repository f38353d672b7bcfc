import { spawn } from "node:child_process";
import type { Environment } from "./terminal.ts";

/** Opens a URL in the browser; false if there is none, as over SSH. */
export async function openBrowser(url: string, env: Environment): Promise<boolean> {
  const command = browserCommand(process.platform, env);
  if (command === null) return false;
  const opener = spawn(command, [url], { stdio: "ignore" });
  // The browser may run as the opener's child, so that nothing waits for it.
  opener.unref();
  return new Promise((resolve) => {
    opener.once("spawn", () => resolve(true));
    opener.once("error", () => resolve(false));
  });
}

/** Returns the program that opens a URL; null without a graphical session. */
function browserCommand(platform: NodeJS.Platform, env: Environment): string | null {
  if (env.BROWSER) return env.BROWSER;
  if (env.SSH_CONNECTION && !env.DISPLAY && !env.WAYLAND_DISPLAY) return null;
  if (platform === "darwin") return "open";
  if (platform === "win32") return "explorer";
  return env.DISPLAY || env.WAYLAND_DISPLAY ? "xdg-open" : null;
}
