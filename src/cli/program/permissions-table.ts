import { may, OPERATIONS, type Operation, ROLES } from "../../domain/model/role.ts";
import { capitalized } from "../../domain/sentence.ts";

const BEGIN = "<!-- The table is made from the code by `npm run reference`. -->\n";
const END = "\n<!-- end of the table -->";

/** Returns a page with the current table of what each role may do. */
export function withPermissionsTable(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error("the page has no place for the table of permissions");
  return page.slice(0, begin + BEGIN.length) + permissionsTable() + page.slice(end);
}

// --- internal ---

function permissionsTable(): string {
  const rows = (Object.keys(OPERATIONS) as Operation[]).map((operation) => {
    const { does, credential } = OPERATIONS[operation];
    const marks = ROLES.map((role) => (may(role, operation) ? "●" : ""));
    return rowOf([capitalized(does), ...marks, credential === "any" ? "●" : ""]);
  });
  const titles = ["", ...ROLES, "deployment token"];
  return [rowOf(titles), rowOf(titles.map((_, at) => (at === 0 ? "---" : ":-:"))), ...rows].join("\n");
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`.replaceAll(/ {2,}/g, " ");
}
