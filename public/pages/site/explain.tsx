import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { Site, VisitExplanation } from "../../api/types.ts";
import { LineForm } from "../../parts/line-form.tsx";
import { keyOf } from "../../parts/of-site.ts";

/** Explains what visitors of a URL get. */
export function ExplainTab({ site }: { site: Site }): JSX.Element {
  const [explanation, setExplanation] = useState<VisitExplanation | null>(null);
  const ask = async (address: string) => {
    setExplanation(null);
    const query = new URLSearchParams({ path: address });
    setExplanation(await call<VisitExplanation>("GET", `/sites/${site.name}/explain?${query}`));
  };
  return (
    <section class="section">
      <div class="section-head">
        <h2>Explain a URL</h2>
        <p class="muted small">See what visitors get at a URL, and which file or rule decides.</p>
      </div>
      <LineForm
        label="URL or path"
        action="Explain"
        kept={keyOf(site.name, "explain")}
        placeholder="/old-page?from=mail"
        required
        submit={ask}
      />
      <div role="status">{explanation && <Explanation explanation={explanation} />}</div>
    </section>
  );
}

function Explanation({ explanation }: { explanation: VisitExplanation }): JSX.Element {
  const { url, status, reason, file, rule, header_lines, headers } = explanation;
  const { location, ...others } = headers;
  return (
    <div class="card card-body explanation">
      <h3>{url}</h3>
      <dl class="facts">
        <Gate explanation={explanation} />
        <Fact name="Response">
          {status}
          {location !== undefined && `, to ${location}`}
        </Fact>
        <Fact name="Reason">{reason}</Fact>
        {rule && (
          <Fact name="Rule">
            _redirects, line {rule.line}: <code>{rule.text}</code>
          </Fact>
        )}
        {file !== null && <Fact name="File">{file}</Fact>}
        {header_lines.length > 0 && <Fact name="_headers">line {header_lines.join(", ")}</Fact>}
      </dl>
      <details class="small">
        <summary>Response headers</summary>
        <dl class="facts">
          {Object.entries(others).map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </dl>
      </details>
    </div>
  );
}

/** What visitors get before the response: sign-in or a frozen site. */
function Gate({ explanation }: { explanation: VisitExplanation }): JSX.Element | null {
  if (explanation.frozen) return <Fact name="Access">The operator froze the site: visitors get 403</Fact>;
  if (!explanation.private) return null;
  return <Fact name="Access">The site is private: only its readers get this, after signing in</Fact>;
}

function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
