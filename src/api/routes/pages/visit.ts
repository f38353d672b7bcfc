import { ENTER_PATH, grantVisit, readVisitRequest } from "../../../domain/access/visit.ts";
import { refusalPage, signedIn } from "../../browser.ts";
import { page, redirect } from "../../pages/page.ts";
import { notAReaderPage, publicPage } from "../../pages/visit.ts";
import type { ApiPorts } from "../../ports.ts";
import { pageRoute } from "../../route.ts";

/** Where a private site's own host sends its visitors: who is signed in and may read goes back with a one-time code. */
export const visitPages = [
  pageRoute({ method: "GET", path: "/visit", handler: ({ ports, request }) => visit(ports, request) }),
];

async function visit(ports: ApiPorts, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const here = url.pathname + url.search;
  try {
    const wanted = readVisitRequest(url.searchParams);
    const caller = await signedIn(ports, request);
    if (!caller) return redirect(`/sign-in?return_to=${encodeURIComponent(here)}`);
    const site = await ports.siteForHost(wanted.host);
    const origin = ports.links.origin(wanted.host);
    // Made public meanwhile. A link, since anybody may have a site here: this address must not send people to theirs.
    if (site && !site.private)
      return page({ title: "Public site", body: publicPage(wanted.host, origin + wanted.path) });
    const code = await grantVisit(ports, caller, site?.siteId ?? null, wanted);
    if (code !== null) return redirect(`${origin}${ENTER_PATH}?code=${code}`);
    return page({ title: "Private site", body: notAReaderPage(caller.user, wanted.host, here), status: 403 });
  } catch (error) {
    return refusalPage("Private site", error);
  }
}
