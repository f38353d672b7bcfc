// Builds the dashboard's files from public/ and prints them as JSON, for src/api/dashboard/bundle.ts.
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { Bundle, BundledFile } from "../src/api/dashboard/bundle.ts";

const root = join(import.meta.dir, "..", "public");

/** A response below the size of a TCP segment does not get faster through compression. */
const MIN_COMPRESSED = 860;

const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

if (import.meta.main) console.log(JSON.stringify(await bundle()));

async function bundle(): Promise<Bundle> {
  const built = [
    // Deferred modules. The plotting library is a separate chunk that only the analytics page loads.
    ...(await build({
      entrypoints: ["main.tsx", "style.css", "framed.css", "reference.css"],
      format: "esm",
      splitting: true,
    })),
    // By itself, because the sign-in page loads nothing else.
    ...(await build({ entrypoints: ["passkey-sign-in.ts"], format: "esm" })),
    // Runs before the first paint, so that the wrong theme never flashes.
    ...(await build({ entrypoints: ["theme.ts"], format: "iife" })),
  ];
  const icon = await Bun.file(join(root, "icon.svg")).bytes();
  const iconName = `icon-${new Bun.CryptoHasher("sha256").update(icon).digest("hex").slice(0, 8)}.svg`;
  const assets = [...built, { plain: "icon.svg", name: iconName, bytes: icon }];
  const paths = Object.fromEntries(assets.flatMap(({ plain, name }) => (plain ? [[plain, `/assets/${name}`]] : [])));
  const page = (await Bun.file(join(root, "index.html")).text()).replace(
    /\{\{([\w.]+)\}\}/g,
    (_, plain: string) => paths[plain] ?? fail(`index.html names ${plain}, which was not built`),
  );
  const files = assets.map(({ name, bytes }) => pack(`/assets/${name}`, bytes));
  return { paths, files: [...files, pack("/index.html", new TextEncoder().encode(page))] };
}

interface Built {
  /** The name without its fingerprint, if pages may refer to it. */
  readonly plain: string | null;
  readonly name: string;
  readonly bytes: Uint8Array;
}

async function build(options: {
  entrypoints: string[];
  format: "esm" | "iife";
  splitting?: boolean;
}): Promise<Built[]> {
  const result = await Bun.build({
    ...options,
    entrypoints: options.entrypoints.map((file) => join(root, file)),
    target: "browser",
    minify: true,
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return Promise.all(
    result.outputs.map(async (output) => {
      const name = output.path.replace(/^.*\//, "");
      const plain = output.kind === "chunk" ? null : name.replace(/-[^-]*(?=\.\w+$)/, "");
      return { plain, name, bytes: new Uint8Array(await output.arrayBuffer()) };
    }),
  );
}

function pack(path: string, bytes: Uint8Array): BundledFile {
  const extension = path.slice(path.lastIndexOf(".") + 1);
  const digest = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 32);
  const type = TYPES[extension] ?? fail(`${path} has no known type`);
  if (bytes.length < MIN_COMPRESSED) return { path, type, digest, bodies: { identity: base64(bytes) } };
  const bodies = {
    identity: base64(bytes),
    br: base64(brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })),
    gzip: base64(Bun.gzipSync(bytes as Uint8Array<ArrayBuffer>, { level: 9 })),
    zstd: base64(Bun.zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: 19 })),
  };
  return { path, type, digest, bodies };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function fail(message: string): never {
  throw new Error(message);
}
