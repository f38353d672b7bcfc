import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "../../app/app.ts";
import { newClockShift } from "../../clients/system/clock.ts";
import { systemSecrets } from "../../clients/system/secrets.ts";
import { loadConfig } from "../../config/settings.ts";
import { startSession } from "../../domain/accounts/sessions.ts";
import type { User } from "../../domain/model/user.ts";
import type { Store } from "../../domain/ports/store.ts";
import type { Clock } from "../../domain/ports/system.ts";
import { newSecret } from "../../domain/tokens/secret.ts";

/** The whole program on a free port, with its threads and its own data folder. */
export interface TestServer extends RunningServer {
  readonly baseUrl: string;
  /** The URL of a site, or of one of its deployments as `3--name`. */
  siteUrl(label: string): string;
  /** Adds a user and returns a session token. */
  signUp(login: string): Promise<{ user: User; token: string }>;
  /** Creates a deployment token of a site, as POST /tokens does. */
  mintDeploymentToken(siteName: string, expiresAt?: number | null): Promise<{ id: string; token: string }>;
  /** Advances the clock of every thread. */
  advance(milliseconds: number): void;
  /** Sends a request to the API. `token` becomes the Authorization header. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>;
  /** Deploys an archive. Resolves with any response. */
  deploy(token: string, archive: Uint8Array, options?: UploadOptions): Promise<Response>;
  /** Sends a visitor's request. Redirects are not followed. */
  visit(label: string, path?: string, init?: RequestInit): Promise<Response>;
  /** Stops the program and removes its data folder. */
  [Symbol.asyncDispose](): Promise<void>;
}

interface UploadOptions {
  readonly site?: string;
  readonly access?: string;
  readonly headers?: Record<string, string>;
}

interface CallOptions {
  readonly token?: string | undefined;
  readonly json?: unknown;
  readonly body?: RequestInit["body"];
  readonly headers?: Record<string, string>;
}

/**
 * Starts the program with `flags` as on the command line (`{ workers: "2" }`), by default with one serving thread. Each
 * further one takes half a second of CPU time, so only stories about agreement between threads use two.
 */
export async function startTestServer(flags: Record<string, string> = {}): Promise<TestServer> {
  const dataDir = flags["data-dir"] ?? (await mkdtemp(join(tmpdir(), "vitrine-test-")));
  const shift = newClockShift();
  const config = loadConfig({
    flags: { dataDir, listen: "127.0.0.1:0", workers: "1", log: "off", ...camelCased(flags) },
    env: {},
  });
  const server = await serve(config, shift);
  const baseUrl = server.config.baseUrl;
  // Browsers and curl resolve names below localhost to loopback. `fetch` needs the address and a Host header for that.
  const { host, port, protocol } = new URL(baseUrl);
  const loopback = `${protocol}//127.0.0.1:${server.config.listen.port}`;

  const call: TestServer["call"] = (method, path, options = {}) =>
    fetch(`${loopback}${path}`, {
      ...requestOf(method, { ...options, headers: { Host: host, ...options.headers } }),
      redirect: "manual",
      tls: { rejectUnauthorized: false },
      // A listener closes idle connections when it is replaced for new certificates, and a POST is not retried.
      keepalive: protocol === "http:",
    });

  return {
    ...server,
    baseUrl,
    siteUrl: (label) => `${protocol}//${label}.${server.config.sitesDomain}:${port}`,
    call,

    ...peopleOf(server.store, server.clock),

    advance(milliseconds) {
      shift[0] = (shift[0] ?? 0) + milliseconds;
    },

    deploy: (token, archive, options) => call("POST", "/deploy", { token, ...uploadOf(archive, options) }),

    visit(label, path = "/", init = {}) {
      const host = `${label}.${server.config.sitesDomain}:${port}`;
      return fetch(`${loopback}${path}`, { redirect: "manual", ...init, headers: { ...init.headers, Host: host } });
    },

    async [Symbol.asyncDispose]() {
      await server.stop();
      if (!flags["data-dir"]) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Converts flags to the names that the command-line parser uses. */
export function camelCased(flags: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(flags).map(([flag, value]) => [
      flag.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  );
}

/** Returns a request to the API as `fetch` takes it. */
export function requestOf(method: string, { token, json, body, headers = {} }: CallOptions): RequestInit {
  return {
    method,
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    body: json === undefined ? (body ?? null) : JSON.stringify(json),
  };
}

/** Adds users and credentials to a store. */
export function peopleOf(store: Store, clock: Clock): Pick<TestServer, "signUp" | "mintDeploymentToken"> {
  const ports = { store, clock, secrets: systemSecrets };
  return {
    async signUp(login) {
      const user = await store.users.add({
        provider: "local",
        subject: crypto.randomUUID(),
        login,
        name: null,
        avatarUrl: null,
        mayOwn: true,
        passwordHash: null,
        createdAt: clock.now(),
      });
      if (!user) throw new Error(`${login} is taken`);
      const { token } = await startSession(ports, { userId: user.id, clientName: "test", address: null });
      return { user, token };
    },

    async mintDeploymentToken(siteName, expiresAt = null) {
      const site = await store.sites.find(siteName);
      if (!site) throw new Error(`there is no site ${siteName}`);
      const token = newSecret(systemSecrets, "vtd");
      const id = crypto.randomUUID();
      await store.tokens.add({
        id,
        siteId: site.id,
        makerId: site.ownerId,
        name: "CI",
        permission: "publish",
        tokenHash: systemSecrets.sha256(token),
        createdAt: clock.now(),
        expiresAt,
      });
      return { id, token };
    },
  };
}

/** Returns body and headers of `POST /deploy`. */
export function uploadOf(archive: Uint8Array, options: UploadOptions = {}): Pick<CallOptions, "body" | "headers"> {
  const body = new FormData();
  body.set("file", new Blob([archive as Uint8Array<ArrayBuffer>]), "site.zip");
  const { site, access, headers } = options;
  return {
    body,
    headers: {
      ...(site ? { "X-Service-Site": site } : {}),
      ...(access ? { "X-Service-Access": access } : {}),
      ...headers,
    },
  };
}
