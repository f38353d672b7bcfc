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
        <span class="muted">or choose one. It is live a moment later.</span>
      </button>
      <div class="ways">
        <section class="card card-body">
          <h2>From a terminal</h2>
          <p class="muted small">Sign in once, then deploy any folder.</p>
          <Copyable text={cli} label="the commands" block />
        </section>
        <section class="card card-body">
          <h2>With curl</h2>
          <p class="muted small">
            Once you have a site, its Tokens page makes tokens. One for the first site is printed by the operator, with{" "}
            <code>vitrine users session LOGIN</code>; <code>vitrine login</code> needs none.
          </p>
          <Copyable text={curl} label="the curl command" block />
        </section>
      </div>
    </div>
  );
}
