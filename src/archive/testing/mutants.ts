/** Returns a deterministic generator of numbers in [0, below) (xorshift32). */
export function seededNumbers(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Bytes with a meaning in a ZIP archive, which reach deeper code than random ones. */
const TELLING = [0x00, 0xff, 0x01, 0x08, 0x7f, 0x80, 0x2e, 0x2f, 0x5c, 0x50, 0x4b];

/** Returns the archive with one to three mutations: bytes changed, deleted, duplicated, swapped, or truncated. */
export function mutate(archive: Uint8Array, random: (below: number) => number): Buffer {
  let bytes = Buffer.from(archive);
  for (let rest = 1 + random(3); rest > 0; rest--) bytes = mutateOnce(bytes, random);
  return bytes;
}

function mutateOnce(bytes: Buffer<ArrayBuffer>, random: (below: number) => number): Buffer<ArrayBuffer> {
  const at = random(Math.max(1, bytes.length));
  const length = 1 + random(random(4) === 0 ? 200 : 8);
  switch (random(8)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
    case 3: {
      const from = random(Math.max(1, bytes.length));
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, from + length), bytes.subarray(at + length)]);
    }
    default: {
      const changed = Buffer.from(bytes);
      const place = nearHeader(changed, at, random);
      changed[place] = random(2) === 0 ? TELLING[random(TELLING.length)]! : random(256);
      return changed;
    }
  }
}

/** Half of all mutations are in headers, where most of the meaning is. */
function nearHeader(bytes: Buffer, at: number, random: (below: number) => number): number {
  const header = random(2) === 0 ? bytes.indexOf("PK", at, "latin1") : -1;
  return header < 0 ? at : Math.min(bytes.length - 1, header + random(50));
}
