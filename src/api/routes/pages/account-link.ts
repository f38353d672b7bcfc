import { DomainError } from "../../../domain/errors.ts";
import { findAccountLink, useAccountLink } from "../../../domain/operators/account-links.ts";
import type { AccountLink } from "../../../domain/ports/store/account-links.ts";
import { readForm, refusalPage, startBrowserSession } from "../../browser.ts";
import { STATUS } from "../../errors.ts";
import { accountLinkPage } from "../../pages/account-link.ts";
import { page, redirectAfterForm } from "../../pages/page.ts";
import type { Problem } from "../../pages/sign-in.ts";
import { type PageCall, type PageReply, pageRoute, reply } from "../../route.ts";

const TITLES = { invitation: "Create your account", password: "Set a new password" } as const;

/** The page of an invitation or a password link that an operator created. */
export const accountLinkPages = [
  pageRoute("GET", "/account/:code", show),
  pageRoute("POST", "/account/:code", submit, "Used a link of the operator"),
];

async function show({ ports, params }: PageCall<"code">): Promise<Response> {
  const token = params.code ?? "";
  try {
    return formPage(token, await findAccountLink(ports, token), null);
  } catch (error) {
    return refusalPage("Link", error);
  }
}

async function submit({ ports, request, params }: PageCall<"code">): Promise<PageReply> {
  const token = params.code ?? "";
  const form = await readForm(request, ports.links);
  const name = form.get("name")?.trim() || null;
  try {
    const { user, passwordHash } = await useAccountLink(ports, token, { name, password: form.get("password") ?? "" });
    const session = await startBrowserSession(ports, request, user, { passwordHash });
    return reply(redirectAfterForm("Welcome", "/", [session]), { madeBy: user });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== "invalid") return refusalPage("Link", error);
    return formPage(token, await findAccountLink(ports, token), error);
  }
}

function formPage(token: string, link: AccountLink, problem: Problem | null): Response {
  const status = problem ? STATUS.invalid : 200;
  return page({ title: TITLES[link.kind], body: accountLinkPage(TITLES[link.kind], token, link, problem), status });
}
