import { UNPRINTABLE } from "../../domain/quote.ts";

/** A pattern for text that people will see: none of it may hide, or write over, what stands around it. */
export const NO_CONTROLS = `^[^${UNPRINTABLE}]*$`;
