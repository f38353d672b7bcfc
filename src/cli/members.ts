import type { Member } from "../api/schemas/types.ts";
import { printable } from "../domain/printable.ts";
import { path } from "./client/client.ts";
import { type ClientListOptions, type ClientOptions, connect } from "./client/connect.ts";
import { printList } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatTime } from "./terminal/units.ts";

export async function listMembers(terminal: Terminal, site: string, options: ClientListOptions): Promise<void> {
  const client = await connect(terminal, options);
  const members = await client.list<Member>(path`/sites/${site}/members`);
  const columns = [
    { title: "LOGIN", value: ({ login }: Member) => login, cut: true },
    { title: "ROLE", value: ({ role }: Member) => role },
    { title: "SINCE", value: ({ added_at }: Member) => formatTime(added_at), optional: true },
    { title: "ADDED BY", value: ({ added_by }: Member) => added_by ?? "", optional: true },
  ] as const;
  printList(terminal, members, { none: "No members.", columns }, options);
}

export async function setMember(
  terminal: Terminal,
  site: string,
  login: string,
  role: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const member = await client.put<Member>(path`/sites/${site}/members/${login}`, { role });
  if (options.json) return terminal.json(member);
  terminal.done(`${printable(member.login)} is now a ${member.role} of ${site}.`);
}

/** Removes a member, whose next request is refused. */
export async function removeMember(
  terminal: Terminal,
  site: string,
  login: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  await client.delete(path`/sites/${site}/members/${login}`);
  terminal.done(`${printable(login)} is no longer a member of ${site}.`);
}
