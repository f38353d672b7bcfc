import { zipOf } from "../../../src/acceptance/testing/archives.ts";
import type { Sight } from "./history.ts";

// Every deployment has a mark, which its pages begin with. All bytes of a page follow from its mark and its path. One
// file has a content of a few, which several deployments share and which is unreferenced at times.

/** The files of every deployment. */
export const PATHS = ["/", "/1.html", "/2.html", "/common.txt"] as const;
const COMMON_CONTENTS = 8;

/** Returns the archive of a deployment. */
export function archiveOf(mark: string): Promise<Uint8Array> {
  return zipOf({
    "index.html": pageOf(mark, "/"),
    "1.html": pageOf(mark, "/1.html"),
    "2.html": pageOf(mark, "/2.html"),
    "common.txt": commonOf(Math.floor(Math.random() * COMMON_CONTENTS)),
  });
}

/** Compares the response to a visit, byte by byte, with what its mark demands. */
export function sightOf(path: string, status: number, body: string): Sight {
  if (status === 200) return sightOfFile(path, body);
  if (status === 404) return { kind: body.includes("There is no site") ? "no site" : "no file" };
  if (status === 403 && body.includes("frozen")) return { kind: "frozen" };
  const kind = status >= 500 ? "failed" : "damaged";
  const text = body.replace(/<style>.*?<\/style>|<[^>]*>|\s+/gs, " ");
  return { kind, detail: `${path} was answered ${status}: ${text.slice(0, 200)}` };
}

// --- internal ---

function sightOfFile(path: string, body: string): Sight {
  const [word = ""] = body.split(" ", 1);
  if (path === "/common.txt" ? body === commonOf(Number(word)) : body === pageOf(word, path)) {
    return path === "/common.txt" ? { kind: "shared" } : { kind: "page", mark: word };
  }
  return {
    kind: "damaged",
    detail: `${path} has ${body.length} bytes that begin with ${JSON.stringify(body.slice(0, 40))}`,
  };
}

function pageOf(mark: string, path: string): string {
  return `${mark} ${path} ${"page ".repeat(400)}`;
}

function commonOf(index: number): string {
  return `${index} ${"shared ".repeat(3000)}`;
}
