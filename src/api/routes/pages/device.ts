import { findDeviceAuthorization, resolveDeviceAuthorization } from "../../../domain/accounts/authorize-device.ts";
import { DomainError } from "../../../domain/errors.ts";
import { readForm, signedIn } from "../../browser.ts";
import { connectionOf } from "../../connection.ts";
import { STATUS } from "../../errors.ts";
import { codePage, consentPage, verdictPage } from "../../pages/device.ts";
import { page, redirect } from "../../pages/page.ts";
import { type PageCall, type PageReply, pageRoute, reply } from "../../route.ts";

const TITLE = "Connect a device";

/** The page at `verification_uri`: a person enters the code of a device, and approves or denies it. */
export const devicePages = [
  pageRoute("GET", "/device", showDevice),
  pageRoute("POST", "/device", giveVerdict, "Approved or denied a device"),
];

async function showDevice({ ports, request }: PageCall): Promise<Response> {
  const url = new URL(request.url);
  const typed = url.searchParams.get("user_code") ?? "";
  const caller = await signedIn(ports, request);
  if (!caller) return signInFirst(typed);
  if (typed === "") return page({ title: TITLE, body: codePage(null) });
  try {
    const { address } = connectionOf(request);
    const { userCode, authorization } = await findDeviceAuthorization(ports, typed, address);
    return page({ title: TITLE, body: consentPage(userCode, authorization, caller.user) });
  } catch (error) {
    return refused(error);
  }
}

async function giveVerdict({ ports, request }: PageCall): Promise<PageReply> {
  const form = await readForm(request, ports.links);
  const userCode = form.get("user_code") ?? "";
  const caller = await signedIn(ports, request);
  if (!caller) return signInFirst(userCode);
  const verdict = form.get("verdict");
  try {
    if (verdict !== "approved" && verdict !== "denied") throw new DomainError("invalid", "Approve or deny the device.");
    const { address } = connectionOf(request);
    const device = await resolveDeviceAuthorization(ports, caller, { userCode, verdict, address });
    return reply(page({ title: TITLE, body: verdictPage(verdict, device) }), { madeBy: caller.user });
  } catch (error) {
    return refused(error);
  }
}

function signInFirst(typed: string): Response {
  const here = typed === "" ? "/device" : `/device?user_code=${encodeURIComponent(typed)}`;
  return redirect(`/sign-in?return_to=${encodeURIComponent(here)}`);
}

function refused(error: unknown): Response {
  if (!(error instanceof DomainError)) throw error;
  const { kind, extra } = error;
  return page({ title: TITLE, body: codePage(error), status: STATUS[kind], retryAfter: extra.retryAfter });
}
