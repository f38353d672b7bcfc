import { type JSX, render } from "preact";
import { keepFresh } from "./api/freshness.ts";
import { Shortcuts } from "./commands/shortcuts.tsx";
import { DeployDialog } from "./deploy/deploy-dialog.tsx";
import { DropLayer } from "./deploy/drop-layer.tsx";
import { endDeploy, useDeployRequest } from "./deploy/request.ts";
import { SitesPage } from "./pages/sites.tsx";
import { Foot, Top } from "./pages/top.tsx";
import { Arrivals, announceChanges } from "./parts/arrivals.tsx";
import { Page, SitesLink, SkeletonRows } from "./parts/basics.tsx";
import { keepFocus } from "./parts/focus.ts";
import { lazy, NotLoaded } from "./parts/lazy.tsx";
import { Toasts } from "./parts/toasts.tsx";
import { type Route, useRoute } from "./router.ts";

const SitePage = lazy(() => import("./pages/site.tsx").then((file) => file.SitePage), LoadingPage, FailedPage);
const AccountPage = lazy(() => import("./pages/account.tsx").then((file) => file.AccountPage), LoadingPage, FailedPage);
const ConsolePage = lazy(() => import("./pages/console.tsx").then((file) => file.ConsolePage), LoadingPage, FailedPage);

/** After the requested page is loaded. */
const PRELOAD_AFTER_MS = 1000;

function App(): JSX.Element {
  const route = useRoute();
  const request = useDeployRequest();
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Top route={route} />
      <CurrentPage route={route} />
      <Foot />
      <DropLayer site={route.page === "site" ? route.site : null} />
      {request && <DeployDialog request={request} onClose={endDeploy} />}
      <Arrivals />
      <Shortcuts route={route} />
      <Toasts />
    </>
  );
}

function CurrentPage({ route }: { route: Route }): JSX.Element {
  switch (route.page) {
    case "sites":
      return <SitesPage />;
    case "site":
      return <SitePage key={route.site} site={route.site} tab={route.tab} panel={route.panel} />;
    case "account":
      return <AccountPage tab={route.tab} />;
    case "console":
      return <ConsolePage tab={route.tab} />;
    case "missing":
      return <MissingPage />;
  }
}

function FailedPage(): JSX.Element {
  return (
    <main class="page" id="main">
      <NotLoaded isPage />
    </main>
  );
}

function LoadingPage(): JSX.Element {
  return (
    <main class="page" id="main">
      <div class="late" aria-busy="true">
        <span class="visually-hidden" role="status">
          Loading the page
        </span>
        <SkeletonRows rows={6} />
      </div>
    </main>
  );
}

function MissingPage(): JSX.Element {
  return (
    <Page title="Not found">
      <div class="empty">
        <h1 tabIndex={-1}>Page not found</h1>
        <p>The URL may be wrong, or the page no longer exists.</p>
        <SitesLink />
      </div>
    </Page>
  );
}

// A page restored from the back/forward cache may belong to a user who has signed out.
addEventListener("pageshow", (event) => {
  if ((event as PageTransitionEvent).persisted) location.reload();
});

const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  keepFocus();
  keepFresh(announceChanges);
  render(<App />, root);
  setTimeout(SitePage.preload, PRELOAD_AFTER_MS);
}
