import { Elysia } from "elysia";
import { checkSetupLink, makeFirstAccount } from "../../../domain/accounts/accounts.ts";
import { DomainError } from "../../../domain/errors.ts";
import { readForm, refusalPage, startBrowserSession } from "../../browser.ts";
import { STATUS } from "../../errors.ts";
import { moveOn, page } from "../../pages/page.ts";
import { setupPage } from "../../pages/sign-in.ts";
import type { ApiPorts } from "../../ports.ts";

const TITLE = "Create the first account";

/** The page behind the one-time link that `vitrine serve` prints while nobody has an account. */
export function setupPages(ports: ApiPorts) {
  return new Elysia()
    .get("/setup/:code", ({ params }) => showSetup(ports, codeOf(params)))
    .post("/setup/:code", ({ params, request }) => setUp(ports, request, codeOf(params)), { parse: "none" });
}

/** The router leaves null where it cannot decode what stands in the address. */
function codeOf({ code }: { readonly code: string | null }): string {
  return code ?? "";
}

async function showSetup(ports: ApiPorts, code: string): Promise<Response> {
  try {
    await checkSetupLink(ports, code);
    return page({ title: TITLE, body: setupPage(code, null) });
  } catch (error) {
    return refusalPage(TITLE, error);
  }
}

async function setUp(ports: ApiPorts, request: Request, code: string): Promise<Response> {
  const form = await readForm(request, ports.links);
  const login = form.get("login") ?? "";
  const name = form.get("name")?.trim() || null;
  try {
    const { user, passwordHash } = await makeFirstAccount(ports, code, {
      login,
      name,
      password: form.get("password") ?? "",
    });
    return moveOn("Welcome", "/", [await startBrowserSession(ports, request, user, { passwordHash })]);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== "invalid") return refusalPage(TITLE, error);
    return page({ title: TITLE, body: setupPage(code, error, { login, name: name ?? "" }), status: STATUS.invalid });
  }
}
