import { choicesFor, findDeviceAuthorization, resolveDevice } from "../../../domain/accounts/authorize-device.ts";
import { type ConsentChoice, decideGrant } from "../../../domain/accounts/consent.ts";
import { DomainError } from "../../../domain/errors.ts";
import type { SessionCaller } from "../../../domain/model/caller.ts";
import type { DeviceAuthorization, DeviceGrant } from "../../../domain/model/device.ts";
import { FULL_ACCESS, formatScope, scopeOf } from "../../../domain/model/scope.ts";
import { readForm, signedIn } from "../../browser.ts";
import { connectionOf } from "../../connection.ts";
import { STATUS } from "../../errors.ts";
import { choiceIn } from "../../pages/consent.ts";
import { approvedPage, codePage, deniedPage, deviceConsent } from "../../pages/device.ts";
import { page, redirect } from "../../pages/page.ts";
import { type AuditSubject, type PageCall, type PageReply, pageRoute, reply } from "../../route.ts";

const TITLE = "Connect a device";

/** The page at `verification_uri`: a user enters the code of a device, and approves or denies it. */
export const devicePages = [
  pageRoute("GET /device", showDevice),
  pageRoute("POST /device", giveVerdict, summaryOfVerdict),
];

async function showDevice({ ports, request }: PageCall): Promise<Response> {
  const url = new URL(request.url);
  const typed = url.searchParams.get("user_code") ?? "";
  const caller = await signedIn(ports, request);
  if (!caller) return signInFirst(typed);
  if (typed === "") return page({ title: TITLE, body: codePage(null) });
  try {
    const { address } = connectionOf(request);
    const { userCode, authorization: device } = await findDeviceAuthorization(ports, typed, address);
    const choices = await choicesFor(ports, caller, device);
    const { user } = caller;
    return page({
      title: TITLE,
      body: deviceConsent({ userCode, device, user, choices, chosen: null, problem: null }),
    });
  } catch (error) {
    return refused(error);
  }
}

async function giveVerdict({ ports, request }: PageCall): Promise<PageReply> {
  const form = await readForm(request, ports.links);
  const typed = form.get("user_code") ?? "";
  const caller = await signedIn(ports, request);
  if (!caller) return signInFirst(typed);
  const verdict = form.get("verdict");
  try {
    if (verdict !== "approved" && verdict !== "denied") throw new DomainError("invalid", "approve or deny the device");
    const { address } = connectionOf(request);
    const { userCode, authorization: device } = await findDeviceAuthorization(ports, typed, address);
    if (verdict === "approved") return await approve(ports, caller, { userCode, device, chosen: choiceIn(form) });
    await resolveDevice(ports, caller, device, { verdict });
    const audit = { verdict, device: device.clientName };
    return reply(page({ title: TITLE, body: deniedPage(device) }), { madeBy: caller.user, audit });
  } catch (error) {
    return refused(error);
  }
}

interface Approval {
  readonly userCode: string;
  readonly device: DeviceAuthorization;
  readonly chosen: ConsentChoice;
}

/** Approves the device, or shows the form again if the choice cannot be granted. */
async function approve(ports: PageCall["ports"], caller: SessionCaller, approval: Approval): Promise<PageReply> {
  const { device, chosen } = approval;
  const { user } = caller;
  const choices = await choicesFor(ports, caller, device);
  let granted: DeviceGrant;
  try {
    granted = decideGrant(choices, chosen);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const body = deviceConsent({ ...approval, user, choices, problem: error });
    return page({ title: TITLE, body, status: STATUS[error.kind] });
  }
  await resolveDevice(ports, caller, device, { verdict: "approved", granted });
  const { limit } = granted;
  const scope = limit ? scopeOf(limit) : formatScope(FULL_ACCESS);
  const audit = { verdict: "approved", device: device.clientName, scope };
  return reply(page({ title: TITLE, body: approvedPage(device, limit) }), { madeBy: user, audit });
}

/** Records from before scopes were added do not say which of the two it was. */
function summaryOfVerdict({ verdict, device, scope }: AuditSubject): string {
  if (verdict === "approved") return `Approved the device ${device} with the scope ${scope}`;
  return verdict === "denied" ? `Denied the device ${device}` : "Approved or denied a device";
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
