import type { OperatorPorts } from "../../app/operator.ts";
import { userQuota } from "../../app/policies.ts";
import { bytes, orOff, type Parser, Unusable, wholeNumber } from "../../config/settings.ts";
import type { OwnQuota, Quota } from "../../domain/accounts/quota.ts";
import type { User } from "../../domain/accounts/user.ts";
import { UsageError } from "../errors.ts";
import { findUser, lookingAtDataFolder, onDataFolder } from "../operator.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatBytes } from "../terminal/units.ts";
import type { JsonOption, OperatorOptions } from "../verb.ts";
import { roomJson, roomOf } from "./room.ts";

interface Options extends OperatorOptions, JsonOption {
  readonly sites?: string;
  readonly bytes?: string;
}

/** Gives a person limits of their own; without any says which hold, and what of them is in use. */
export async function run(terminal: Terminal, login: string, options: Options): Promise<void> {
  const changes: Change[] = [...read("sites", options.sites, wholeNumber(0)), ...read("bytes", options.bytes, bytes)];
  if (changes.length > 0) {
    await onDataFolder(terminal, options, async (ports) => change(ports, await findUser(ports, login), changes));
  }
  const { user, quota, usage } = await lookingAtDataFolder(terminal, options, async (ports, config) => {
    const user = await findUser(ports, login);
    return { user, ...(await roomOf(ports, user, userQuota(config))) };
  });
  if (options.json) return terminal.json({ login: user.login, ...roomJson({ quota, usage }) });
  terminal.data(`sites    ${usage.sites}${quota.sites === null ? " (no limit)" : ` of ${quota.sites}`}`);
  terminal.data(
    `storage  ${formatBytes(usage.bytes)}${quota.bytes === null ? " (no limit)" : ` of ${formatBytes(quota.bytes)}`}`,
  );
}

// --- internal ---

/** A new limit of a person's own, null for none; undefined where the server's is to hold again. */
interface Change {
  readonly kind: keyof Quota;
  readonly most: number | null | undefined;
}

function read(kind: keyof Quota, text: string | undefined, parse: Parser<number>): Change[] {
  if (text === undefined) return [];
  if (text === "default") return [{ kind, most: undefined }];
  try {
    return [{ kind, most: orOff(parse)(text, "") }];
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new UsageError(`--${kind}: ${JSON.stringify(text)} is not usable; give ${error.usable} or default.`);
  }
}

async function change({ store, record }: OperatorPorts, user: User, changes: readonly Change[]): Promise<void> {
  const own: Partial<Record<keyof Quota, number | null>> = { ...(await store.quotas.own(user.id)) };
  for (const { kind, most } of changes) {
    if (most === undefined) delete own[kind];
    else own[kind] = most;
  }
  const told = changes.map(({ kind, most }) => `${kind}=${most === undefined ? "default" : (most ?? "off")}`);
  await record("users limit", { subject: [user.login, ...told].join(" ") });
  await store.quotas.setOwn(user.id, own satisfies OwnQuota);
}
