import { UsageError } from "./errors.ts";

/** Returns the number from 1 that was typed in plain digits; null for anything else, such as `0x1` or `1e3`. */
export function wholeNumber(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** Returns the number of an option; null where it was not given. Throws UsageError. */
export function optionNumber(option: string, text: string | undefined, most = Number.MAX_SAFE_INTEGER): number | null {
  if (text === undefined) return null;
  const number = wholeNumber(text);
  if (number !== null && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? "from 1" : `from 1 to ${most}`;
  throw new UsageError(`${option}: ${JSON.stringify(text)} is not usable; give a whole number ${range}.`);
}
