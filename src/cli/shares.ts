import type { CreatedShare, Share } from "../api/schemas/types.ts";
import { printable } from "../domain/printable.ts";
import { deploymentNumber } from "./arguments.ts";
import { path } from "./client/client.ts";
import { type ClientListOptions, type ClientOptions, connect } from "./client/connect.ts";
import { UsageError } from "./terminal/errors.ts";
import { choosePassword, type PasswordOption } from "./terminal/prompt.ts";
import { type Column, printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";

interface CreateOptions extends ClientOptions, PasswordOption {
  readonly label?: string;
  readonly alias?: string;
  readonly deployment?: string;
  readonly expiresIn?: string;
  readonly password?: boolean;
  readonly automation?: boolean;
}

export async function createShare(terminal: Terminal, site: string, options: CreateOptions): Promise<void> {
  const asksPassword = options.password || options.passwordStdin;
  if (asksPassword && options.automation) throw new UsageError("give --password or --automation, not both");
  if (options.alias && options.deployment) throw new UsageError("give --alias or --deployment, not both");
  const number = options.deployment === undefined ? undefined : deploymentNumber(options.deployment);
  const client = await connect(terminal, options);
  const body = {
    label: options.label ?? "Created on the command line",
    kind: asksPassword ? "password" : options.automation ? "automation" : "link",
    target: { alias: options.alias, deployment_number: number },
    expires_in: options.expiresIn,
    password: asksPassword ? await choosePassword(terminal, options) : undefined,
  } as const;
  const created = await client.post<CreatedShare>(path`/sites/${site}/shares`, body);
  if (options.json) return terminal.json(created);
  terminal.data(printable(created.url ?? created.secret ?? ""));
  terminal.say(adviceOn(body.kind, shownBy(options.alias, number)));
  terminal.say(
    `It expires on ${formatTime(created.expires_at)}. Revoke it: vitrine shares revoke ${site} ${created.id}`,
  );
}

export async function listShares(terminal: Terminal, site: string, options: ClientListOptions): Promise<void> {
  const client = await connect(terminal, options);
  const shares = await client.list<Share>(path`/sites/${site}/shares`);
  printList(
    terminal,
    shares,
    { none: `No shares. Create one: vitrine shares create ${site}`, columns: COLUMNS },
    options,
  );
}

export async function revokeShare(terminal: Terminal, site: string, id: string, options: ClientOptions): Promise<void> {
  const client = await connect(terminal, options);
  await client.delete(path`/sites/${site}/shares/${id}`);
  terminal.done(`Revoked the share ${id}.`);
}

// --- internal ---

const COLUMNS: readonly Column<Share>[] = [
  { title: "ID", value: ({ id }) => id },
  { title: "LABEL", value: ({ label }) => label, cut: true },
  { title: "KIND", value: ({ kind }) => kind },
  { title: "TARGET", value: targetOf, optional: true },
  { title: "USES", value: ({ uses }) => String(uses), optional: true },
  { title: "LAST USED", value: ({ last_used_at }) => formatTime(last_used_at), optional: true },
  { title: "EXPIRES", value: ({ expires_at }) => formatTime(expires_at), optional: true },
];

function shownBy(alias: string | undefined, number: number | undefined): string {
  if (alias !== undefined) return `the preview ${alias}`;
  return number === undefined ? "the site" : `deployment ${number}`;
}

function adviceOn(kind: Share["kind"], what: string): string {
  switch (kind) {
    case "link":
      return `Everybody with this link can see ${what}. Save it now; it is not shown again.`;
    case "password":
      return `Everybody with the password can see ${what} at this URL.`;
    case "automation":
      return "Save this token now; it is not shown again. Send it as: Authorization: Bearer vtv_…";
  }
}

function targetOf({ target }: Share): string {
  if (target.alias !== null) return `alias ${target.alias}`;
  return target.deployment_number === null ? "live" : `deployment ${target.deployment_number}`;
}
