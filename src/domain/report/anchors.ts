import { decodeOrNull } from "../url-text.ts";

/**
 * Returns 32 bits that stand for an id, so that the ids of all pages fit into memory. Two ids of a page with the same
 * bits hide a broken fragment, which is rarer than one in ten thousand pages with a thousand ids.
 */
export function hashAnchor(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/**
 * Returns whether a fragment, without its `#`, leads to a place in a page: the top, text, or an element with this id, as
 * written or with its escapes decoded. Routes of single-page applications are none of the page's places. `anchors` are
 * the hashed ids of the page, in ascending order.
 */
export function leadsSomewhere(fragment: string, anchors: Uint32Array): boolean {
  const [name = ""] = fragment.split(":~:", 1);
  if (name === "" || ROUTE.test(name)) return true;
  if (includes(anchors, hashAnchor(name))) return true;
  const decoded = decodeOrNull(name) ?? name;
  return includes(anchors, hashAnchor(decoded)) || decoded.toLowerCase() === "top";
}

// --- internal ---

const ROUTE = /^!?\/|^!$/;

function includes(sorted: Uint32Array, value: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value;
}
