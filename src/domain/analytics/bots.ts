/**
 * Whether a user agent says of itself that it is no person: search engines, link previews, uptime monitors, feed
 * fetchers. Tools such as curl are used by people, and count.
 */
export function isBot(userAgent: string | null): boolean {
  return userAgent !== null && BOTS.test(userAgent);
}

/** Words that crawlers put into their names, then the ones that do without. `cubot` makes telephones. */
const BOTS =
  /(?<!cu)bot\b|bot[/;_-]|crawl|spider|slurp|archiver|mediapartners|facebookexternalhit|embedly|quora link|whatsapp|skypeuripreview|bitlybot|vkshare|w3c_validator|pingdom|uptime|statuscake|monitor|headlesschrome|lighthouse|pagespeed|feedfetcher|feedburner|google-inspectiontool|googleother|chatgpt-user|perplexity|claude-web|bytespider|scrapy|nutch|dataprovider|ia_archiver|heritrix|preview/i;
