import { makeSummaryOf } from "./audit.ts";
import { routes } from "./routes.ts";

/** Returns in words what an audit record says was done. */
export const summaryOf = makeSummaryOf(routes);
