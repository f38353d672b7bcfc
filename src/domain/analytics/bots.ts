/**
 * Returns whether a user agent is a program and no visitor: a bot that names itself, a command-line client or a library
 * for HTTP, or none at all. docs/analytics.md explains it to users.
 */
export function isBot(userAgent: string | null): boolean {
  return userAgent === null || userAgent.trim() === "" || BOTS.test(userAgent) || CLIENTS.test(userAgent);
}

// --- internal ---

/**
 * Common words in the names of crawlers, link previews, monitors and feed fetchers, then those without such a word.
 * `cubot` is a phone manufacturer.
 */
const BOTS =
  /(?<!cu)bot\b|bot[/;_-]|crawl|spider|slurp|archiver|mediapartners|facebookexternalhit|embedly|quora link|whatsapp|skypeuripreview|bitlybot|vkshare|w3c_validator|pingdom|uptime|statuscake|monitor|headlesschrome|lighthouse|pagespeed|feedfetcher|feedburner|google-inspectiontool|googleother|chatgpt-user|perplexity|claude-web|bytespider|scrapy|nutch|dataprovider|ia_archiver|heritrix|preview/i;

/** The names with which a user agent of a command-line client or a library begins. */
const CLIENTS = new RegExp(
  `^(?:${[
    // Command line.
    "curl",
    "libcurl",
    "wget",
    "aria2",
    "axel",
    "httpie",
    "xh",
    "fetch libfetch",
    "postmanruntime",
    "insomnia",
    // Python.
    "python",
    "aiohttp",
    "httpx",
    "urllib",
    // JavaScript.
    "node",
    "undici",
    "axios",
    "got",
    "superagent",
    "bun",
    "deno",
    // Go, Rust, C++, Swift.
    "go-http-client",
    "go-resty",
    "fasthttp",
    "reqwest",
    "hyper",
    "ureq",
    "cpp-httplib",
    "alamofire",
    // Java and .NET.
    "java",
    "apache-httpclient",
    "jakarta",
    "okhttp",
    "ktor",
    "restsharp",
    "dart",
    // Perl, PHP, Ruby.
    "libwww-perl",
    "lwp",
    "guzzlehttp",
    "php",
    "symfony httpclient",
    "ruby",
    "faraday",
    "http\\.rb",
    "rest-client",
  ].join("|")})(?![a-z])|powershell/`,
  "i",
);
