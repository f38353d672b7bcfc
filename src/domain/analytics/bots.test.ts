import { describe, expect, test } from "bun:test";
import { isbot } from "isbot";
import { isBot } from "./bots.ts";

const BROWSERS = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 320.0.0.0",
  "Mozilla/5.0 (Linux; Android 12; CUBOT KINGKONG 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36",
  "Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0 Mobile Safari/537.36",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36 OPR/92.0.0.0",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15 Epiphany/47.0",
];

const BOTS = [
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0) Chrome/116.0 Safari/537.36",
  "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
  "Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (compatible; Bytespider)",
  "facebookexternalhit/1.1",
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "WhatsApp/2.23",
  "Mozilla/5.0 (compatible; UptimeRobot/2.0)",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0 Safari/537.36",
];

const CLIENTS = [
  "",
  "curl/8.5.0",
  "Wget/1.24.5",
  "Wget2/2.1.0",
  "HTTPie/3.2.4",
  "PostmanRuntime/7.43.0",
  "python-requests/2.32.3",
  "Python-urllib/3.12",
  "python-httpx/0.28.1",
  "Python/3.12 aiohttp/3.11.11",
  "Go-http-client/2.0",
  "go-resty/2.16.2 (https://github.com/go-resty/resty)",
  "Java/21.0.5",
  "Java-http-client/21.0.5",
  "Apache-HttpClient/5.4.1 (Java/21.0.5)",
  "okhttp/4.12.0",
  "node",
  "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)",
  "undici",
  "axios/1.7.9",
  "got (https://github.com/sindresorhus/got)",
  "Bun/1.4.5",
  "Deno/2.1.4",
  "reqwest/0.12.9",
  "libwww-perl/6.77",
  "GuzzleHttp/7",
  "Ruby",
  "Faraday v2.12.2",
  "RestSharp/112.1.0.0",
  "Dart/3.6 (dart:io)",
  "aria2/1.37.0",
  "Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.22621.4391",
  "Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.22631; en-US) PowerShell/7.4.6",
];

describe.each([
  ["a browser is a visitor", BROWSERS, false],
  ["a bot is none", BOTS, true],
  ["a command-line client or a library is none", CLIENTS, true],
])("%s", (_fact, agents, expected) => {
  test.each(agents)("%s", (userAgent) => {
    expect(isBot(userAgent)).toBe(expected);
  });
});

test("a request without a user agent is no visitor", () => {
  expect(isBot(null)).toBe(true);
});

test("isbot decides the same, but for what it takes for browsers", () => {
  const named = [...BROWSERS, ...BOTS, ...CLIENTS].filter((userAgent) => userAgent !== "");
  const others = named.filter((userAgent) => isbot(userAgent) !== isBot(userAgent));
  expect(others.filter((userAgent) => !/powershell|^dart/i.test(userAgent))).toEqual([]);
});
