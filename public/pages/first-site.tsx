import type { JSX } from "preact";
import { requestDeploy } from "../deploy/request.ts";
import { Copyable } from "../parts/basics.tsx";
import { Icon } from "../parts/icons.tsx";

/** The page of somebody who has no site yet: three ways to the first one. */
export function FirstSite(): JSX.Element {
  const curl = `curl ${location.origin}/deploy \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -F file=@site.zip`;
  const cli = `vitrine login --server ${location.origin}\nvitrine deploy ./dist`;
  return (
    <div class="section">
      <button type="button" class="drop-zone" onClick={() => requestDeploy({ site: null, dropped: null })}>
        <Icon name="upload" size={28} />
        <strong>Drag a folder or a ZIP here</strong>
        <span class="muted">or choose one. Your site is live within seconds.</span>
      </button>
      <div class="ways">
        <section class="card card-body">
          <h2>Command line</h2>
          <p class="muted small">Sign in once, then deploy any folder.</p>
          <Copyable text={cli} label="the commands" block />
        </section>
        <section class="card card-body">
          <h2>curl</h2>
          <p class="muted small">
            Create a token on the Tokens page of a site. For your first site, ask the operator for a session token (
            <code>vitrine users session LOGIN</code>).
          </p>
          <Copyable text={curl} label="the curl command" block />
        </section>
      </div>
    </div>
  );
}
