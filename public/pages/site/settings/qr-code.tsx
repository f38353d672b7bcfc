import type { JSX } from "preact";
import { qrPath } from "./qr-path.ts";

/** The margin that readers need, in modules. */
const QUIET = 4;

/** A QR code of a URL. It is black on white in both themes, because many readers support nothing else. */
export function QrCode({ text }: { text: string }): JSX.Element {
  const { size, path } = qrPath(text);
  const box = size + 2 * QUIET;
  return (
    <svg class="qr-code" viewBox={`${-QUIET} ${-QUIET} ${box} ${box}`} role="img" aria-label="QR code of the link">
      <rect x={-QUIET} y={-QUIET} width={box} height={box} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
