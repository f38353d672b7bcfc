import { UsageError } from "../errors.ts";
import { wholeNumber } from "../whole-number.ts";

/** Returns a deployment's number as it was typed on the command line. */
export function deploymentNumber(text: string): number {
  const number = wholeNumber(text);
  if (number !== null) return number;
  throw new UsageError(`${text} is not a deployment number.`, "See the deployments: vitrine deployments list SITE");
}
