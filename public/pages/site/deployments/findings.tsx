import type { JSX } from "preact";
import { placeOf } from "../../../../src/domain/report/shown-findings.ts";
import type { ReportFinding } from "../../../api/types.ts";
import { sitePath } from "../../../router.ts";
import { explainable, nameOf } from "./report-words.ts";

const TONES = { error: "bad", warning: "warn", note: "" } as const;

interface Props {
  readonly site: string;
  /** The deployment's own URL, where the files are. */
  readonly url: string;
  readonly findings: readonly ReportFinding[];
}

/** Findings with their place, each with the way to what visitors get at its target. */
export function Findings({ site, url, findings }: Props): JSX.Element {
  return (
    <ul class="list findings">
      {findings.map((finding, index) => (
        // The same may be found twice in a line.
        <li key={`${index} ${finding.code} ${placeOf(finding)}`}>
          <span class="finding-what">
            <span class={`badge ${TONES[finding.severity]}`}>{nameOf(finding.code)}</span>
            {finding.new && <span class="badge accent">New</span>}
          </span>
          <span class="finding-text">
            <a class="mono-link" href={fileUrl(url, finding.file)} target="_blank" rel="noopener">
              {placeOf(finding)}
            </a>
            <span class="muted">{finding.message}</span>
          </span>
          <Explain site={site} url={explainable(url, finding)} finding={finding} />
        </li>
      ))}
    </ul>
  );
}

function Explain(props: { site: string; url: string | null; finding: ReportFinding }): JSX.Element | null {
  const { site, url, finding } = props;
  if (url === null) return null;
  return (
    <a class="button quiet small" href={`${sitePath(site, "explain")}?${new URLSearchParams({ path: url })}`}>
      Explain<span class="visually-hidden"> {finding.target}</span>
    </a>
  );
}

function fileUrl(url: string, file: string): string {
  return `${url}/${file.split("/").map(encodeURIComponent).join("/")}`;
}
