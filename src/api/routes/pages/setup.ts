import { checkSetupLink, makeFirstAccount } from "../../../domain/accounts/accounts.ts";
import { DomainError } from "../../../domain/errors.ts";
import { readForm, refusalPage, startBrowserSession } from "../../browser.ts";
import { STATUS } from "../../errors.ts";
import { moveOn, page } from "../../pages/page.ts";
import { setupPage } from "../../pages/sign-in.ts";
import type { ApiPorts } from "../../ports.ts";
import { pageRoute, type Reply, reply } from "../../route.ts";

const TITLE = "Create the first account";

/** The page behind the one-time link that `vitrine serve` prints while nobody has an account. */
export const setupPages = [
  pageRoute({
    method: "GET",
    path: "/setup/:code",
    handler: ({ ports, params }) => showSetup(ports, params.code ?? ""),
  }),
  pageRoute({
    method: "POST",
    path: "/setup/:code",
    audit: "Created the first account",
    handler: ({ ports, params, request }) => setUp(ports, request, params.code ?? ""),
  }),
];

async function showSetup(ports: ApiPorts, code: string): Promise<Response> {
  try {
    await checkSetupLink(ports, code);
    return page({ title: TITLE, body: setupPage(code, null) });
  } catch (error) {
    return refusalPage(TITLE, error);
  }
}

async function setUp(ports: ApiPorts, request: Request, code: string): Promise<Response | Reply<Response>> {
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
    return reply(moveOn("Welcome", "/", [session]), { madeBy: user });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== "invalid") return refusalPage(TITLE, error);
    return page({ title: TITLE, body: setupPage(code, error, { login, name: name ?? "" }), status: STATUS.invalid });
  }
}
