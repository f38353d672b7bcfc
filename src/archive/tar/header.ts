const BLOCK = 512;

/** The end of an archive: two empty blocks. */
export const TAR_END = new Uint8Array(2 * BLOCK);

/** Larger sizes do not fit into eleven octal digits. */
const LARGE = 8 ** 11;

/**
 * Returns the header of a regular file that belongs to root and is readable for its owner only. The name has at most
 * 100 bytes.
 */
export function tarHeader(name: string, size: number, modifiedAt: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write("0000600\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  if (size < LARGE) header.write(`${octal(size, 11)}\0`, 124);
  else writeLarge(header, size, 124);
  header.write(`${octal(Math.floor(modifiedAt / 1000), 11)}\0`, 136);
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

/** Returns the number of padding bytes after content of this size. */
export function tarPadding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

/** GNU's format: the first bit set, then the number in binary. */
function writeLarge(header: Buffer, size: number, at: number): void {
  header.writeUInt8(0x80, at);
  header.writeBigUInt64BE(BigInt(size), at + 4);
}
