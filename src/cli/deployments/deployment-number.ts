import { UsageError } from "../errors.ts";

/** Returns a deployment's number as it was typed on the command line. */
export function deploymentNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`${text} is not a deployment's number.`, "vitrine deployments list SITE shows them: 1, 2, 3 …");
}
