type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/**
 * Does what a browser does for pages without scripts: keeps cookies per host, and sends `Origin` with forms. Requests
 * use the network unless another `fetch` is given.
 */
export class Browser {
  private readonly jar = new Map<string, Map<string, string>>();

  constructor(
    private readonly baseUrl: string,
    private readonly fetch: Fetch = fetchOverLoopback,
  ) {}

  /** Requests a path on the base URL, or an absolute address. Redirects are not followed. */
  get(address: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.send(address, { headers: { Accept: "text/html,*/*", ...headers } });
  }

  /** Opens a page as a click does, and follows redirects. The response's `url` is the address of the page. */
  async open(address: string): Promise<Response> {
    let url = new URL(address, this.baseUrl).href;
    for (let step = 0; step < 8; step++) {
      const response = await this.get(url, { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" });
      const next = response.headers.get("location");
      if (next === null) return Object.defineProperty(response, "url", { value: url });
      url = new URL(next, url).href;
    }
    throw new Error(`${address} redirects without end`);
  }

  /** Sends a form from a page of `origin`, by default the address itself. */
  submit(address: string, fields: Record<string, string>, origin?: string | null): Promise<Response> {
    const from = origin === undefined ? new URL(address, this.baseUrl).origin : origin;
    const headers = { Accept: "text/html,*/*", ...(from === null ? {} : { Origin: from }) };
    return this.send(address, { method: "POST", headers, body: new URLSearchParams(fields) });
  }

  /** Sends JSON to the base URL, as a script of a page of `origin` does, by default one of its own. */
  request(method: string, path: string, json?: unknown, origin: string | null = this.baseUrl): Promise<Response> {
    const headers = { "Content-Type": "application/json", ...(origin === null ? {} : { Origin: origin }) };
    return this.send(path, { method, headers, body: json === undefined ? null : JSON.stringify(json) });
  }

  /** The browser's cookies for a host, by name. */
  cookies(address = "/"): Map<string, string> {
    const { hostname } = new URL(address, this.baseUrl);
    const cookies = this.jar.get(hostname) ?? new Map<string, string>();
    this.jar.set(hostname, cookies);
    return cookies;
  }

  private async send(address: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
    const url = new URL(address, this.baseUrl);
    const cookies = this.cookies(url.href);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...init.headers, Host: url.host, ...(cookie ? { Cookie: cookie } : {}) };
    const response = await this.fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }
}

/** Names below localhost resolve to the loopback address, as in browsers. */
function fetchOverLoopback(url: URL, init: RequestInit): Promise<Response> {
  return fetch(`${url.protocol}//127.0.0.1:${url.port}${url.pathname}${url.search}`, init);
}
