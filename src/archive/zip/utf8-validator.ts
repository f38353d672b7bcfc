import { isUtf8 } from "node:buffer";

/** Validates that bytes are UTF-8, in chunks that may end within a character. */
export class Utf8Validator {
  #isValid = true;
  #rest = Buffer.alloc(0);

  add(chunk: Uint8Array): void {
    if (!this.#isValid) return;
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = bytes.length - startedBytes(bytes);
    this.#isValid = isUtf8(bytes.subarray(0, end));
    this.#rest = Buffer.from(bytes.subarray(end));
  }

  /** Returns the result for all chunks. */
  isValid(): boolean {
    return this.#isValid && this.#rest.length === 0;
  }
}

// --- internal ---

/** Returns the length of a character at the end that is not complete. */
function startedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return characterBytes(byte) > back ? back : 0;
  }
  return 0;
}

function characterBytes(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
