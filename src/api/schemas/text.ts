import { UNPRINTABLE } from "../../domain/quote.ts";

/** A pattern for text that people will see: none of it may hide, or write over, what stands around it, or be half a character. */
export const NO_CONTROLS = `^(?:[^${UNPRINTABLE}\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])*$`;
