/**
 * The ids of the sites that a routing change affects. `ENCODED` stands for the files of all sites with incomplete
 * encodings.
 */
export type AffectedSites = readonly number[];

/** Encodings were recorded. No site has this id, because site ids start at 1. */
export const ENCODED = 0;

/** The number of changes in the routing log. A reader that is further behind reads everything again. */
export const ROUTING_LOG_LENGTH = 128;

/** A change of more sites than this is logged as a change of everything. */
export const MAX_AFFECTED_SITES = 16;
