import { CommanderError } from "commander";
import { ConfigError } from "../../config/config-error.ts";
import { DomainError } from "../../domain/errors.ts";
import { type ExitStatus, Failure } from "../terminal/errors.ts";
import { processTerminal, type Terminal } from "../terminal/terminal.ts";
import { buildProgram, type ProgramParts } from "./program.ts";

/** Runs one command and returns its exit status. */
export async function main(
  argv: readonly string[],
  parts: ProgramParts,
  terminal: Terminal = processTerminal(),
): Promise<ExitStatus> {
  try {
    await buildProgram(terminal, parts).parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    return explain(error, terminal);
  }
}

/** Prints an error and returns its exit status. */
function explain(error: unknown, terminal: Terminal): ExitStatus {
  // Commander has printed its message already. Help and version end here too, with status 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof ConfigError) return say(terminal, error.message, undefined, 2);
  if (error instanceof DomainError) return say(terminal, withCause(error), undefined, 1);
  if (error instanceof Failure) return say(terminal, error.message, error.advice, error.status);
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return say(
    terminal,
    `unexpected error: ${message}`,
    terminal.env.VITRINE_DEBUG ? stack : "Set VITRINE_DEBUG=1 to see where.",
    1,
  );
}

/** The caller is the operator or the user, so that the cause may be shown. */
function withCause({ detail, cause }: DomainError): string {
  return cause instanceof Error ? `${detail} (${cause.message})` : detail;
}

function say(terminal: Terminal, message: string, advice: string | undefined, status: ExitStatus): ExitStatus {
  terminal.say(`${terminal.style.red("error:")} ${message}`);
  if (advice) terminal.say(advice);
  return status;
}
