import { duration, Unusable } from "../../config/settings.ts";
import { SESSION_LIFETIME, startSession } from "../../domain/accounts/sessions.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { Failure, UsageError } from "../errors.ts";
import { findUser, onDataFolder } from "../operator.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatTime } from "../terminal/units.ts";
import type { JsonOption, OperatorOptions } from "../verb.ts";

interface Options extends OperatorOptions, JsonOption {
  readonly ttl?: string;
}

/** Prints a fresh session token on stdout: the operator's way in, for scripts and for people who lost theirs. */
export async function run(terminal: Terminal, login: string, options: Options): Promise<void> {
  const lifetime = options.ttl === undefined ? {} : { lifetime: readLifetime(options.ttl) };
  await onDataFolder(terminal, options, async (ports) => {
    const user = await findUser(ports, login);
    if (user.frozen)
      throw new Failure(`${user.login} is frozen.`, `Unfreeze the user first: vitrine users unfreeze ${user.login}`);
    const { token, session } = await startSession(ports, {
      userId: user.id,
      clientName: "vitrine users session",
      address: null,
      ...lifetime,
    });
    await ports.record("users session", { subject: user.login });
    const expiresAt = timestamp(session.expiresAt);
    if (options.json) return terminal.json({ token, expires_at: expiresAt });
    terminal.data(token);
    terminal.say(terminal.style.dim(`Session of ${user.login}, valid until ${formatTime(expiresAt)} at the latest.`));
  });
}

function readLifetime(text: string): number {
  try {
    const lifetime = duration(text, "");
    if (lifetime <= SESSION_LIFETIME) return lifetime;
    throw new Unusable("at most 90d, after which every session ends");
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new UsageError(`--ttl: ${JSON.stringify(text)} is not usable; give ${error.usable}.`);
  }
}
