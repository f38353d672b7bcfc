import type { HostingCapability, Site } from "../api/schemas/types.ts";
import { nearest } from "../config/spelling.ts";
import { printable } from "../domain/printable.ts";
import { type ClientOptions, connect } from "./client/connect.ts";
import { parseUrl } from "./client/parse-url.ts";
import { siteOfFolder } from "./deploying/remembered-site.ts";
import { urlOfSite } from "./sites.ts";
import { openBrowser } from "./terminal/browser.ts";
import { Failure } from "./terminal/errors.ts";
import type { Terminal } from "./terminal/terminal.ts";

interface Options extends ClientOptions {
  readonly browser?: boolean;
}

/** Opens a site in the browser, by default the site of the working folder. */
export async function openSite(terminal: Terminal, named: string | undefined, options: Options): Promise<void> {
  const name = named ?? (await siteOfFolder("vitrine open SITE"));
  const client = await connect(terminal, options);
  const sites = await client.list<Site>("/sites");
  if (!sites.some((site) => site.name === name)) throw unknownSite(name, sites);
  const url = urlOfSite(await client.get<HostingCapability>("/capabilities/hosting"), name);
  const page = pageOf(url);
  terminal.data(printable(url));
  if (options.browser !== false && terminal.canRedraw) await openBrowser(page, terminal.env);
}

/** Returns the normalized URL of a site. The system's opener also accepts options, files and programs. Throws `Failure`. */
export function pageOf(named: string): string {
  const page = parseUrl(named);
  if (page !== null && /^https?:$/.test(page.protocol)) return page.href;
  throw new Failure("the server names no web page as the site's URL", "Check --server.");
}

// --- internal ---

function unknownSite(name: string, sites: readonly Site[]): Failure {
  const meant = nearest(
    name,
    sites.map((site) => site.name),
  );
  const advice = meant ? `Did you mean ${meant}?` : "See your sites: vitrine sites list";
  return new Failure(`you have no site called ${name}`, advice);
}
