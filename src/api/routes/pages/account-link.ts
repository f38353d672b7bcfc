import { DomainError } from "../../../domain/errors.ts";
import { findAccountLink, useAccountLink } from "../../../domain/operators/account-links.ts";
import { readForm, refusalPage, startBrowserSession } from "../../browser.ts";
import { STATUS } from "../../errors.ts";
import { accountLinkPage } from "../../pages/account-link.ts";
import { page, redirectAfterForm } from "../../pages/page.ts";
import type { Problem } from "../../pages/sign-in.ts";
import type { RoutePorts } from "../../ports.ts";
import { type PageCall, type PageReply, pageRoute, reply } from "../../route.ts";

const TITLES = { invitation: "Create your account", password: "Set a new password" } as const;

/** The page of an invitation or a password link that an operator created. */
export const accountLinkPages = [
  pageRoute("GET /account/:code", show),
  pageRoute("POST /account/:code", submit, ({ member_role: role }) =>
    role ? `Accepted the invitation to work on the site as ${role}` : "Used a link of the operator",
  ),
];

async function show({ ports, params }: PageCall<"code">): Promise<Response> {
  const token = params.code ?? "";
  try {
    return await formPage(ports, token, null);
  } catch (error) {
    return refusalPage("Link", error);
  }
}

async function submit({ ports, request, params }: PageCall<"code">): Promise<PageReply> {
  const token = params.code ?? "";
  const form = await readForm(request, ports.links);
  const name = form.get("name")?.trim() || null;
  try {
    const { user, passwordHash, memberOf } = await useAccountLink(ports, token, {
      name,
      password: form.get("password") ?? "",
      removedPasskeys: form.getAll("remove_passkey"),
    });
    const session = await startBrowserSession(ports, request, user, { passwordHash });
    const target = memberOf ? `/dashboard/sites/${memberOf.siteName}` : "/";
    return reply(redirectAfterForm("Welcome", target, [session]), {
      madeBy: user,
      audit: memberOf ? { name: memberOf.siteName, member_role: memberOf.role } : {},
    });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== "invalid") return refusalPage("Link", error);
    return formPage(ports, token, error);
  }
}

async function formPage(ports: RoutePorts, token: string, problem: Problem | null): Promise<Response> {
  const link = await findAccountLink(ports, token);
  const passkeys = link.userId === null ? [] : await ports.store.passkeys.listOfUser(link.userId);
  const title = TITLES[link.kind];
  const body = accountLinkPage({ title, token, link, passkeys, problem });
  return page({ title, body, status: problem ? STATUS.invalid : 200 });
}
