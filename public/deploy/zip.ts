import { hasExtension } from "../../src/domain/rules/extensions.ts";

// Packs files into a ZIP with the browser's own deflate. Each file becomes a Blob, which the browser keeps out of
// memory, so that a folder of any size can be packed.

interface ZipSource {
  readonly path: string;
  readonly file: Blob;
}

/** Larger archives need ZIP64; the server's limits are lower. */
const MAX_FILES = 0xffff;
const MAX_BYTES = 0xffffffff;

/** Listing the root prevents the server from stripping a common folder. */
const ROOT = ".//";

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_RECORD = 0x06054b50;
/** Bit 11 of the flags: names are UTF-8. */
const UTF8 = 1 << 11;
const VERSION = 20;
/** 1980-01-01, the first date of the format, so that archives are deterministic. */
const FIRST_DAY = 0x0021;

/**
 * Returns the archive. Calls `packed` with the size of each part of a file that is done. Throws RangeError if it does not fit a ZIP, and
 * an AbortError when `signal` is aborted.
 */
export async function zip(
  files: readonly ZipSource[],
  packed: (bytes: number) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Blob> {
  const entries = haveOneFolder(files) ? [{ path: ROOT, file: new Blob([]) }, ...files] : files;
  if (entries.length > MAX_FILES) throw new RangeError(`A ZIP holds at most ${MAX_FILES} files.`);
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let offset = 0;
  let directorySize = 0;
  for (const { path, file } of entries) {
    signal.throwIfAborted();
    const name = new TextEncoder().encode(path);
    const entry = { name, ...(await pack({ path, file }, packed, signal)), size: file.size, offset };
    const local = localHeader(entry);
    const central = centralHeader(entry);
    parts.push(local, name, entry.data);
    directory.push(central, name);
    offset += local.byteLength + name.length + entry.data.size;
    directorySize += central.byteLength + name.length;
    if (offset > MAX_BYTES) throw new RangeError("The files are larger than 4 GB together.");
  }
  return new Blob([...parts, ...directory, endRecord(entries.length, directorySize, offset)], {
    type: "application/zip",
  });
}

function haveOneFolder(files: readonly ZipSource[]): boolean {
  const first = files[0]?.path.split("/", 1)[0];
  return files.every(({ path }) => path.startsWith(`${first}/`));
}

interface Entry {
  readonly name: Uint8Array;
  readonly method: 0 | 8;
  readonly crc: number;
  readonly data: Blob;
  readonly size: number;
  readonly offset: number;
}

async function pack(
  { path, file }: ZipSource,
  packed: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Pick<Entry, "method" | "crc" | "data">> {
  let crc = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        crc = crc32(chunk, crc);
        packed(chunk.byteLength);
        controller.enqueue(chunk);
      },
    }),
    { signal },
  );
  const stored = path === ROOT || hasExtension(path, "compressed");
  const data = await new Response(stored ? counted : counted.pipeThrough(new CompressionStream("deflate-raw"))).blob();
  return { method: stored ? 0 : 8, crc, data };
}

function localHeader(entry: Entry): Uint8Array<ArrayBuffer> {
  return fields([4, LOCAL_HEADER], [2, VERSION], ...common(entry));
}

function centralHeader(entry: Entry): Uint8Array<ArrayBuffer> {
  const noComment: Field[] = [2, 2, 2, 4].map((width) => [width as 2 | 4, 0]);
  return fields([4, CENTRAL_HEADER], [2, VERSION], [2, VERSION], ...common(entry), ...noComment, [4, entry.offset]);
}

function common({ method, crc, data, size, name }: Entry): Field[] {
  return [
    [2, UTF8],
    [2, method],
    [2, 0],
    [2, FIRST_DAY],
    [4, crc],
    [4, data.size],
    [4, size],
    [2, name.length],
    [2, 0],
  ];
}

function endRecord(files: number, directorySize: number, offset: number): Uint8Array<ArrayBuffer> {
  return fields([4, END_RECORD], [2, 0], [2, 0], [2, files], [2, files], [4, directorySize], [4, offset], [2, 0]);
}

type Field = readonly [width: 2 | 4, value: number];

function fields(...all: readonly Field[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(all.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [width, value] of all) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return bytes;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array, before: number): number {
  let crc = ~before;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}
