import type { JSX } from "preact";
import type { DiagnosticComponent, ProxyDiagnostics } from "../../api/types.ts";

const BADGES: Record<string, string> = { ok: "good", warning: "warn", error: "bad" };

/** What the last look through the proxy showed, part by part. */
export function Diagnostics({ diagnostics }: { diagnostics: ProxyDiagnostics }): JSX.Element {
  const { dns, edge_tls, edge_http, http_forwarding, origin, ownership } = diagnostics;
  return (
    <details class="diagnostics small">
      <summary>Proxy diagnostics</summary>
      <table class="figures">
        <tbody>
          <Part name="DNS" part={dns} />
          <Part name="Edge certificate" part={edge_tls} />
          <Part name="HTTPS response" part={edge_http} note={httpNote(edge_http)} />
          <Part name="HTTP response" part={http_forwarding} note={statusNote(http_forwarding.status_code)} />
          <Part name="This server" part={origin} />
          <Part name="Ownership" part={ownership} />
        </tbody>
      </table>
    </details>
  );
}

function Part({ name, part, note = "" }: { name: string; part: DiagnosticComponent; note?: string }): JSX.Element {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <span class={`badge ${BADGES[part.status] ?? ""}`}>{part.status}</span>
      </td>
      <td>{[note, part.error].filter(Boolean).join(" · ")}</td>
    </tr>
  );
}

function httpNote({ status_code, address, edge_cache_status, redirect_location }: ProxyDiagnostics["edge_http"]) {
  return [
    statusNote(status_code),
    address && `from ${address}`,
    edge_cache_status && `cache ${edge_cache_status}`,
    redirect_location && `redirects to ${redirect_location}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function statusNote(status: number | null): string {
  return status === null ? "" : `status ${status}`;
}
