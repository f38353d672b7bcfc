// Tar as POSIX.1-1988 (ustar) has it, with GNU's base-256 sizes from 8 GiB on: `tar` itself reads our backups, so that
// they can be opened on a machine without Vitrine.

const BLOCK = 512;

/** The largest size that eleven octal digits hold. */
const MAX_OCTAL = 0o77777777777;

export interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** Must be read to its end, or not at all, before the next entry is asked for. */
  read(): AsyncIterable<Uint8Array>;
}

/** Returns the header of a regular file that only its owner may read. `name` is ASCII, at most 100 characters. */
export function tarHeader(name: string, size: number, modifiedAt: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  if (name.length > 100) throw new Error(`${name} is too long for a tar header`);
  header.write(name, 0, "ascii");
  header.write("0000600\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  writeSize(header, size);
  header.write(`${octal(Math.floor(modifiedAt / 1000), 11)} `, 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  header.write(`${octal(checksum(header), 6)}\0 `, 148);
  return header;
}

/** Returns the zeros that follow content of this size. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

/** What ends an archive. */
export const TAR_END = new Uint8Array(2 * BLOCK);

/** Yields the regular files of an archive. Throws where it is none, or ends early. */
export async function* readTar(stream: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const input = new Input(stream[Symbol.asyncIterator]());
  for (;;) {
    const header = Buffer.from(await input.exactly(BLOCK));
    if (header.every((byte) => byte === 0)) return;
    if (checksum(header) !== Number.parseInt(text(header, 148, 8), 8))
      throw new Error("it is no tar archive, or damaged");
    const size = readSize(header);
    let unread = true;
    yield {
      name: text(header, 0, 100),
      size,
      read() {
        unread = false;
        return input.upTo(size);
      },
    };
    if (unread) await drain(input.upTo(size));
    await input.exactly(tarPadding(size).length);
  }
}

/** The bytes of a stream, taken in the portions that are asked for. */
class Input {
  private rest: Uint8Array = new Uint8Array(0);

  constructor(private readonly source: AsyncIterator<Uint8Array>) {}

  async *upTo(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0; ) {
      if (this.rest.length === 0) await this.refill();
      const chunk = this.rest.subarray(0, left);
      this.rest = this.rest.subarray(chunk.length);
      left -= chunk.length;
      yield chunk;
    }
  }

  async exactly(size: number): Promise<Uint8Array> {
    return Buffer.concat(await Array.fromAsync(this.upTo(size)));
  }

  private async refill(): Promise<void> {
    const { done, value } = await this.source.next();
    if (done) throw new Error("it ends early");
    this.rest = value;
  }
}

async function drain(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}

/** The sum of all bytes, with the field of the sum itself as blanks. */
function checksum(header: Uint8Array): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

function writeSize(header: Buffer, size: number): void {
  if (size <= MAX_OCTAL) {
    header.write(`${octal(size, 11)} `, 124);
    return;
  }
  header[124] = 0x80;
  header.writeBigUInt64BE(BigInt(size), 128);
}

function readSize(header: Buffer): number {
  if (header[124] === 0x80) return Number(header.readBigUInt64BE(128));
  return Number.parseInt(text(header, 124, 12), 8);
}

function text(header: Buffer, start: number, length: number): string {
  const field = header.toString("latin1", start, start + length);
  const end = field.indexOf("\0");
  return (end < 0 ? field : field.slice(0, end)).trim();
}

function octal(number: number, digits: number): string {
  return number.toString(8).padStart(digits, "0");
}
