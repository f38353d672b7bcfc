import type { Page } from "playwright-core";

/** A dialog or menu. */
export interface Opened {
  readonly role: "dialog" | "menu";
  readonly name: string | RegExp;
  /** The names of what is pressed: a button, and for a dialog of a menu the item. */
  readonly by: readonly (string | RegExp)[];
}

const dialog = (name: Opened["name"], ...by: Opened["by"][number][]): Opened => ({ role: "dialog", name, by });
const menu = (name: string | RegExp): Opened => ({ role: "menu", name, by: [name] });

interface Place {
  readonly name: string;
  readonly path: string;
  /** What must be visible before the page is checked. */
  readonly shows: string;
  /** Every dialog and menu that a button of the page opens. */
  readonly opens?: readonly Opened[];
  /** What else the page shows, after the dialogs. */
  fill?(page: Page): Promise<void>;
}

const OPEN = "/dashboard/sites/open";
const CLOSED = "/dashboard/sites/closed";
const ACCOUNT = "/dashboard/account";
const CONSOLE = "/dashboard/console";

/** Every page of the dashboard, for an operator with sites. */
export const PLACES: readonly Place[] = [
  {
    name: "the sites, of which one is selected",
    path: "/?sort=name",
    shows: "closed.localhost",
    opens: [
      menu("Account: olivia"),
      menu("Tags"),
      menu("Actions for open"),
      dialog("Tags of open", "Actions for open", "Edit tags… T"),
      dialog("Delete open?", "Actions for open", "Delete…"),
      dialog("New site", "New site"),
      dialog("Search or jump to", /^Search or jump to/),
      dialog("Keyboard shortcuts", "Keyboard shortcuts"),
    ],
    async fill(page) {
      for (const key of ["j", "x"]) await page.keyboard.press(key);
      await page.getByText("1 selected").waitFor();
    },
  },
  { name: "the overview", path: OPEN, shows: "First deployment", opens: [dialog("Roll back to #1?", "Roll back")] },
  {
    name: "the history",
    path: `${OPEN}/deployments`,
    shows: "First deployment",
    opens: [
      menu("Actions for #1"),
      dialog("Roll back to #1?", "Actions for #1", "Roll back to this…"),
      dialog("Deployment #2", "Actions for #2", "Details and changes"),
      dialog("Aliases of #1", "Actions for #1", "Aliases…"),
      dialog("Deploy to open", "Deploy"),
    ],
  },
  {
    name: "an explanation",
    path: `${OPEN}/explain`,
    shows: "Examples",
    async fill(page) {
      await page.getByLabel("URL or path").fill("https://open.localhost/nowhere?a=1");
      await page.getByRole("button", { name: "Explain", exact: true }).click();
      await page.getByText("must-revalidate").waitFor();
    },
  },
  { name: "the visits", path: `${OPEN}/analytics`, shows: "Bot views" },
  { name: "the members", path: `${OPEN}/settings/members`, shows: "Created the site" },
  { name: "the readers", path: `${CLOSED}/settings`, shows: "grace" },
  {
    name: "the domains",
    path: `${OPEN}/settings/domains`,
    shows: "Verify ownership",
    opens: [dialog("Remove www.example.com?", "Remove www.example.com")],
  },
  {
    name: "the tokens, and a new publisher",
    path: `${OPEN}/settings/tokens`,
    shows: "Never used",
    opens: [
      menu("Actions for ada/open"),
      dialog("Workflow for ada/open", "Actions for ada/open", "Workflow file"),
      dialog("Delete the publisher ada/open?", "Actions for ada/open", "Delete…"),
      dialog("Revoke Nightly?", "Revoke Nightly"),
    ],
    async fill(page) {
      await page.getByRole("button", { name: "Add publisher" }).click();
      await page.getByText("Workflow file .github").waitFor();
    },
  },
  {
    name: "the shares, and a new one",
    path: `${CLOSED}/settings/shares`,
    shows: "Client",
    opens: [dialog("Revoke Client?", "Revoke Client")],
    async fill(page) {
      await page.getByLabel("Label").fill("Reviewers");
      await page.getByRole("button", { name: "Create share" }).click();
      await page.getByRole("button", { name: "QR code" }).click();
      await page.getByRole("img", { name: "QR code of the link" }).waitFor();
    },
  },
  { name: "the activity", path: `${OPEN}/activity`, shows: "Added the domain" },
  {
    name: "the webhooks",
    path: `${OPEN}/settings/webhooks`,
    shows: "Disable",
    opens: [dialog("Rotate the signing secret?", /^Rotate secret/), dialog("Delete this webhook?", /^Delete /)],
    async fill(page) {
      await page.getByText("Deliveries to https://hooks.example.org/").click();
      await page.getByText("responded with 500").waitFor();
    },
  },
  { name: "the retention", path: `${OPEN}/settings/retention`, shows: "All deployments are kept." },
  {
    name: "the end of a site",
    path: `${OPEN}/settings/danger`,
    shows: "Delete open…",
    opens: [dialog("Delete open?", "Delete open…")],
  },
  { name: "a frozen site", path: "/dashboard/sites/stopped", shows: ": unpaid." },
  { name: "a site that is not there", path: "/dashboard/sites/nowhere", shows: "You have no site named" },
  { name: "a page that is not there", path: "/dashboard/nowhere", shows: "Page not found" },
  { name: "the account", path: ACCOUNT, shows: "3 of 5 used" },
  { name: "the agents", path: `${ACCOUNT}/agents`, shows: "No agent is connected." },
  {
    name: "the sessions",
    path: `${ACCOUNT}/sessions`,
    shows: "This browser",
    opens: [
      dialog("End 1 other session?", "End all others"),
      dialog("End the session of Safari?", "End the session of Safari"),
    ],
  },
  { name: "the command line", path: `${ACCOUNT}/command-line`, shows: "Sign in and deploy" },
  { name: "the console", path: CONSOLE, shows: "checks passed" },
  {
    name: "the people",
    path: `${CONSOLE}/people`,
    shows: "Last active",
    opens: [dialog("Invite a person", "Invite"), dialog("grace", "Manage grace")],
  },
  {
    name: "an invitation",
    path: `${CONSOLE}/people`,
    shows: "Last active",
    async fill(page) {
      await page.getByRole("button", { name: "Invite", exact: true }).click();
      await page.getByLabel("Login", { exact: true }).fill("guest");
      await page.getByRole("button", { name: "Create link", exact: true }).click();
      await page.getByText("guest is invited").waitFor();
    },
  },
  {
    name: "all sites",
    path: `${CONSOLE}/sites`,
    shows: "Views, 30 days",
    opens: [dialog("closed", "Manage closed")],
  },
  { name: "the jobs", path: `${CONSOLE}/jobs`, shows: "Sweep unused content" },
  {
    name: "the backups",
    path: `${CONSOLE}/backups`,
    shows: "Not verified yet",
    opens: [
      menu(/^Actions for the backup of/),
      dialog(/^Restore the backup of/, /^Actions for the backup of/, "How to restore"),
      dialog(/^Delete the backup of/, /^Actions for the backup of/, "Delete…"),
    ],
  },
  { name: "the audit log", path: `${CONSOLE}/audit`, shows: "Published deployment 1" },
  { name: "the server's settings", path: `${CONSOLE}/settings`, shows: "--max-user-sites" },
];
