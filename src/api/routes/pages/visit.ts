import { ENTER_PATH, grantVisit, readVisitRequest } from "../../../domain/access/visit.ts";
import { refusalPage, signedIn } from "../../browser.ts";
import { page, redirect } from "../../pages/page.ts";
import { notAReaderPage, publicPage } from "../../pages/visit.ts";
import { type PageCall, pageRoute } from "../../route.ts";

/** The page to which a private site redirects visitors: a signed-in reader returns with a one-time code. */
export const visitPages = [pageRoute("GET /visit", visit)];

async function visit({ ports, request }: PageCall): Promise<Response> {
  const url = new URL(request.url);
  const here = url.pathname + url.search;
  try {
    const wanted = readVisitRequest(url.searchParams);
    const caller = await signedIn(ports, request);
    if (!caller) return redirect(`/sign-in?return_to=${encodeURIComponent(here)}`);
    const site = await ports.siteForHost(wanted.host);
    const origin = ports.links.origin(wanted.host);
    // The site was made public meanwhile. The page has a link and no redirect: anybody may own a site, and this URL
    // must not redirect to it.
    if (site && !site.private)
      return page({ title: "Public site", body: publicPage(wanted.host, origin + wanted.path) });
    const code = await grantVisit(ports, caller, site?.siteId ?? null, wanted);
    if (code !== null) return redirect(`${origin}${ENTER_PATH}?code=${code}`);
    const again = { returnTo: here, hasGroups: ports.provider.groupsClaim != null };
    return page({ title: "Private site", body: notAReaderPage(caller.user, wanted.host, again), status: 403 });
  } catch (error) {
    return refusalPage("Private site", error);
  }
}
