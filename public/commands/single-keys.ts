import { makeNotice } from "../api/notice.ts";

const KEY = "vitrine.single-keys";
const notice = makeNotice();

/** Returns whether single letters are shortcuts. Users of dictation can disable them. */
export function hasSingleKeys(): boolean {
  return localStorage.getItem(KEY) !== "off";
}

/** Like `hasSingleKeys`, as a hook. */
export function useSingleKeys(): boolean {
  notice.use();
  return hasSingleKeys();
}

export function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, "off");
  notice.notify();
}
