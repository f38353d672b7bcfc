import { accountUrl } from "../api/schemas/links.ts";
import type { MemberRole } from "../domain/model/role.ts";
import { createInvitation } from "../domain/operators/account-links.ts";
import { timestamp } from "../domain/timestamp.ts";
import type { OperatorOptions } from "./command.ts";
import { onDataFolder } from "./operator.ts";
import { UsageError } from "./terminal/errors.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";

interface InviteOptions extends OperatorOptions {
  readonly name?: string;
  readonly site?: string;
  readonly role?: MemberRole;
}

/** Prints a link with which somebody creates their own account, and becomes a member of a site if one is named. */
export async function inviteUser(terminal: Terminal, login: string, options: InviteOptions): Promise<void> {
  const { name = null, site: siteName, role } = options;
  if (role !== undefined && siteName === undefined) {
    throw new UsageError("--role is the role on a site", "Name the site: --site NAME");
  }
  const member = siteName === undefined ? null : { siteName, role: role ?? "deployer" };
  await onDataFolder(terminal, options, async (ports, { baseUrl }) => {
    const link = await createInvitation(ports, null, { login, name, member });
    const { invitedTo } = link;
    const to = invitedTo ? [invitedTo.siteName, invitedTo.role] : [];
    await ports.record("users invite", { subject: [login, ...to].join(" ") });
    const url = accountUrl(baseUrl, link.token);
    const expiresAt = timestamp(link.expiresAt);
    if (options.json) {
      const site = invitedTo && { name: invitedTo.siteName, role: invitedTo.role };
      return terminal.json({ login, site, url, expires_at: expiresAt });
    }
    terminal.data(url);
    terminal.say(`Send the link to ${login}. It creates the account once, until ${formatTime(expiresAt)}.`);
  });
}
