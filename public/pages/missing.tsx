import type { JSX } from "preact";
import { Page } from "../parts/basics.tsx";
import { SITES } from "../router.ts";

export function MissingPage(): JSX.Element {
  return (
    <Page title="Not found">
      <div class="face">
        <h1 tabIndex={-1}>Page not found</h1>
        <p>The address may be wrong, or the page no longer exists.</p>
        <div class="actions">
          <a class="button" href={SITES}>
            Go to your sites
          </a>
        </div>
      </div>
    </Page>
  );
}
