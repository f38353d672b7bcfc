import type { JSX } from "preact";
import type { Warning } from "../api/types.ts";

/** What did not stop a deployment, with the line to look at. */
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
