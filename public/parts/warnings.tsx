import type { JSX } from "preact";
import type { Warning } from "../api/types.ts";

/** The warnings of a deployment, with file and line. */
export function Warnings({ warnings }: { warnings: readonly Warning[] }): JSX.Element {
  return (
    <ul class="warnings">
      {warnings.map(({ file, line, message }) => (
        <li key={`${file}:${line}:${message}`}>
          <code>{line > 0 ? `${file}:${line}` : file}</code> {message}
        </li>
      ))}
    </ul>
  );
}
