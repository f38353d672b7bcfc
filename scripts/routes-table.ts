import { join } from "node:path";
import { Glob } from "bun";
import type { Auth, Route } from "../src/api/route.ts";
import { routes } from "../src/api/routes/routes.ts";
import { OPERATIONS, ROLES } from "../src/domain/model/role.ts";

/** Returns every route of the base host, who may call it, and the file that declares it, as a table in Markdown. */
export async function routesTable(): Promise<string> {
  const fileOf = await declaringFiles();
  const rows = routes.map((route) => {
    const cells = [`\`${route.method} ${route.path}\``, callersOf(route), `\`${fileOf(route)}\``];
    return `| ${cells.join(" | ")} |`;
  });
  return ["| route | who may call it | file |", "|---|---|---|", ...rows].join("\n");
}

// --- internal ---

const ROOT = join(import.meta.dir, "..");

/** Finds the files by loading them: a route is the same object there as in the list of all. */
async function declaringFiles(): Promise<(route: Route) => string> {
  const files = new Map<unknown, string>();
  for (const file of new Glob("src/api/{routes,dashboard}/**/*.ts").scanSync({ cwd: ROOT })) {
    if (/\.test\.ts$|routes\/routes\.ts$/.test(file)) continue;
    const exported: unknown[] = Object.values(await import(join(ROOT, file)));
    for (const route of exported.filter(Array.isArray).flat()) files.set(route, file);
  }
  return (route) => {
    const file = files.get(route);
    if (file === undefined) throw new Error(`no file exports ${route.method} ${route.path}`);
    return file;
  };
}

const CALLERS: Readonly<Record<Exclude<Auth, "site">, string>> = {
  public: "anybody",
  optional: "anybody; a credential is read",
  credential: "any credential",
  session: "a user",
  person: "a user, also with a limited session",
  operator: "an operator",
};

function callersOf({ auth, operation }: Route): string {
  if (auth !== "site") return CALLERS[auth];
  if (operation === null) throw new Error("a route about a site has an operation");
  const { role, credential } = OPERATIONS[operation];
  const roles = role === ROLES.at(-1) ? "the owner" : `a ${role} of the site or a stronger role`;
  return credential === "any" ? `${roles}, also with a token` : roles;
}
