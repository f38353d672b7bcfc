import { checkSetupLink, makeFirstAccount } from "../../../domain/accounts/accounts.ts";
import { DomainError } from "../../../domain/errors.ts";
import { readForm, refusalPage, startBrowserSession } from "../../browser.ts";
import { STATUS } from "../../errors.ts";
import { page, redirectAfterForm } from "../../pages/page.ts";
import { setupPage } from "../../pages/sign-in.ts";
import { type PageCall, type PageReply, pageRoute, reply } from "../../route.ts";

const TITLE = "Set up this server";

/** The page of the one-time link that `vitrine serve` prints while there is no account. */
export const setupPages = [
  pageRoute("GET /setup/:code", showSetup),
  pageRoute("POST /setup/:code", setUp, "Created the first account"),
];

async function showSetup({ ports, params }: PageCall<"code">): Promise<Response> {
  const code = params.code ?? "";
  try {
    await checkSetupLink(ports, code);
    return page({ title: TITLE, body: setupPage(code, null) });
  } catch (error) {
    return refusalPage(TITLE, error);
  }
}

async function setUp({ ports, request, params }: PageCall<"code">): Promise<PageReply> {
  const code = params.code ?? "";
  const form = await readForm(request, ports.links);
  const login = form.get("login") ?? "";
  const name = form.get("name")?.trim() || null;
  try {
    const { user, passwordHash } = await makeFirstAccount(ports, code, {
      login,
      name,
      password: form.get("password") ?? "",
    });
    const session = await startBrowserSession(ports, request, user, { passwordHash });
    return reply(redirectAfterForm("Welcome", "/", [session]), { madeBy: user });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== "invalid") return refusalPage(TITLE, error);
    return page({ title: TITLE, body: setupPage(code, error, { login, name: name ?? "" }), status: STATUS.invalid });
  }
}
