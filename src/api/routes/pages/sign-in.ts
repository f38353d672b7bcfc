import { readVisitRequest } from "../../../domain/access/visit.ts";
import { cookies } from "../../../domain/accounts/cookie.ts";
import { signInWithPassword } from "../../../domain/accounts/password-sign-in.ts";
import {
  beginDeviceCode,
  beginRedirect,
  finishRedirect,
  pollDeviceCode,
} from "../../../domain/accounts/provider-sign-in.ts";
import { DomainError } from "../../../domain/errors.ts";
import { AccountFrozen } from "../../../domain/model/freeze.ts";
import type { DeviceCodeProvider, RedirectProvider } from "../../../domain/ports/identity.ts";
import { MINUTE } from "../../../domain/timestamp.ts";
import { isFromElsewhere } from "../../../serving/http/elsewhere.ts";
import {
  accountFrozenPage,
  cookieCaller,
  localPath,
  passkeysHere,
  readForm,
  refusalPage,
  signedIn,
  startBrowserSession,
} from "../../browser.ts";
import { connectionOf } from "../../connection.ts";
import { STATUS } from "../../errors.ts";
import { page, redirect, redirectAfterForm } from "../../pages/page.ts";
import { type Purpose, signedInPage, signInPage, waitingPage } from "../../pages/sign-in.ts";
import type { ApiPorts } from "../../ports.ts";
import { type PageCall, type PageReply, pageRoute, reply } from "../../route.ts";

const SIGNED_IN = "Signed in";
const ATTEMPT_COOKIE_LIFETIME = 15 * MINUTE;

/** Signing in and out in a browser, with every provider. */
export const signInPages = [
  pageRoute("GET /sign-in", showSignIn),
  pageRoute("POST /sign-in", signInByForm, SIGNED_IN),
  pageRoute("GET /sign-in/provider", leaveForProvider),
  pageRoute("GET /sign-in/callback", returnFromProvider, SIGNED_IN),
  pageRoute("GET /sign-in/wait", waitForProvider, SIGNED_IN),
  pageRoute("POST /sign-out", signOut, "Signed out"),
];

async function showSignIn({ ports, request }: PageCall): Promise<Response> {
  const returnTo = localPath(new URL(request.url).searchParams.get("return_to"), ports.links);
  const caller = await cookieCaller(ports, request).catch(frozenOnly);
  if (caller instanceof AccountFrozen) return accountFrozenPage(caller, returnTo);
  if (caller) return page({ title: "Signed in", body: signedInPage(caller.user, returnTo) });
  const { provider, store } = ports;
  const hasAccounts = provider.method !== "password" || (await store.users.count()) > 0;
  return signInForm({ ports, request, returnTo, hasAccounts });
}

function frozenOnly(error: unknown): AccountFrozen {
  if (error instanceof AccountFrozen) return error;
  throw error;
}

/** Returns the purpose of a sign-in, as far as the return path shows it. */
function purposeOf({ links }: ApiPorts, returnTo: string): Purpose | null {
  const { pathname, searchParams } = new URL(returnTo, links.base);
  if (pathname === "/device") return { kind: "device" };
  if (pathname === "/authorize") return { kind: "agent" };
  // The host is not looked up: only a signed-in visitor learns whether it is theirs to read.
  const host = pathname === "/visit" ? visitedHost(searchParams) : null;
  return host === null ? null : { kind: "site", host };
}

function visitedHost(query: URLSearchParams): string | null {
  try {
    return readVisitRequest(query).host;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

async function signInByForm({ ports, request }: PageCall): Promise<PageReply> {
  const form = await readForm(request, ports.links);
  const { provider } = ports;
  if (provider.method !== "password") throw new DomainError("not_found", "there is no sign-in by password here");
  const returnTo = localPath(form.get("return_to"), ports.links);
  const { address } = connectionOf(request);
  const attempt = { login: form.get("login") ?? "", password: form.get("password") ?? "", address };
  try {
    const { user, passwordHash } = await signInWithPassword({ ...ports, provider }, attempt);
    const session = await startBrowserSession(ports, request, user, { passwordHash });
    return reply(redirectAfterForm("Signed in", returnTo, [session]), { madeBy: user });
  } catch (error) {
    if (error instanceof AccountFrozen) return accountFrozenPage(error, returnTo);
    if (!(error instanceof DomainError)) throw error;
    return signInForm({ ports, request, returnTo, hasAccounts: true, problem: error, login: attempt.login });
  }
}

function signInForm(form: {
  ports: ApiPorts;
  request: Request;
  returnTo: string;
  hasAccounts: boolean;
  problem?: DomainError;
  login?: string;
}): Response {
  const { ports, request, returnTo, hasAccounts, problem = null, login = "" } = form;
  const passkeys = passkeysHere(ports, request);
  const purpose = purposeOf(ports, returnTo);
  const body = signInPage({ provider: ports.provider, returnTo, purpose, problem, hasAccounts, login, passkeys });
  const script = passkeys.problem === null ? { script: "passkey-sign-in.js" } : {};
  const status = problem ? STATUS[problem.kind] : 200;
  return page({ title: "Sign in", body, status, retryAfter: problem?.extra.retryAfter, ...script });
}

/**
 * Each attempt is stored and may call the provider, so attempts are limited by address. Any page could make its
 * visitors' browsers use up that limit. An attempt that another origin causes therefore leads to the sign-in page,
 * where the user decides to continue.
 */
async function leaveForProvider({ ports, request }: PageCall): Promise<Response> {
  const { provider, links } = ports;
  const { address } = connectionOf(request);
  const attempt = { returnTo: localPath(new URL(request.url).searchParams.get("return_to"), links), address };
  const signInHere = () => redirect(`/sign-in?return_to=${encodeURIComponent(attempt.returnTo)}`);
  if (isFromElsewhere(request.headers)) return signInHere();
  const cookie = (secret: string) => cookies(links.base).attempt.set(secret, ATTEMPT_COOKIE_LIFETIME);
  try {
    if (provider.method === "redirect") {
      const { url, browserSecret } = await beginRedirect({ ...ports, provider }, callbackUri(ports), attempt);
      return redirect(url, [cookie(browserSecret)]);
    }
    if (provider.method === "device_code") {
      const { browserSecret } = await beginDeviceCode({ ...ports, provider }, attempt);
      return redirect("/sign-in/wait", [cookie(browserSecret)]);
    }
    return signInHere();
  } catch (error) {
    return refusalPage("Sign-in failed", error);
  }
}

async function returnFromProvider({ ports, request }: PageCall): Promise<PageReply> {
  const { attempt } = cookies(ports.links.base);
  const response = new URL(request.url).searchParams;
  try {
    const provider = requireMethod<RedirectProvider>(ports, "redirect");
    const secret = attempt.read(request.headers.get("cookie"));
    const { user, returnTo } = await finishRedirect({ ...ports, provider }, callbackUri(ports), response, secret);
    const session = await startBrowserSession(ports, request, user);
    return reply(redirectAfterForm("Signed in", returnTo, [session, attempt.clear()]), { madeBy: user });
  } catch (error) {
    // The cookie stays: an image of another page may have caused this request while the user signs in.
    return refusalPage("Sign-in failed", error);
  }
}

async function waitForProvider({ ports, request }: PageCall): Promise<PageReply> {
  const { attempt } = cookies(ports.links.base);
  try {
    const provider = requireMethod<DeviceCodeProvider>(ports, "device_code");
    const secret = attempt.read(request.headers.get("cookie"));
    const result = await pollDeviceCode({ ...ports, provider }, secret);
    if ("user" in result) {
      const session = await startBrowserSession(ports, request, result.user);
      return reply(redirectAfterForm("Signed in", result.returnTo, [session, attempt.clear()]), {
        madeBy: result.user,
      });
    }
    const refresh = { seconds: result.interval, url: "/sign-in/wait" };
    return page({ title: "Sign in", body: waitingPage(result, provider.label), refresh });
  } catch (error) {
    return refusalPage("Sign-in failed", error);
  }
}

async function signOut({ ports, request }: PageCall): Promise<PageReply> {
  const form = await readForm(request, ports.links);
  const caller = await signedIn(ports, request);
  if (caller) await ports.store.sessions.revoke(caller.sessionId, caller.user.id);
  const returnTo = localPath(form.get("return_to"), ports.links);
  const { session } = cookies(ports.links.base);
  const response = redirect(`/sign-in?return_to=${encodeURIComponent(returnTo)}`, [session.clear()]);
  return caller ? reply(response, { madeBy: caller.user }) : response;
}

function callbackUri({ links }: ApiPorts): string {
  return `${links.base}/sign-in/callback`;
}

function requireMethod<P extends ApiPorts["provider"]>({ provider }: ApiPorts, method: P["method"]): P {
  if (provider.method === method) return provider as P;
  throw new DomainError("not_found", "unknown sign-in provider");
}
