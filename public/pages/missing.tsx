import type { JSX } from "preact";
import { Page } from "../parts/basics.tsx";
import { SITES } from "../router.ts";

export function MissingPage(): JSX.Element {
  return (
    <Page title="Not found">
      <div class="face">
        <h1 tabIndex={-1}>There is no such page</h1>
        <p>The address may be mistyped, or what was here is gone.</p>
        <div class="actions">
          <a class="button" href={SITES}>
            Your sites
          </a>
        </div>
      </div>
    </Page>
  );
}
