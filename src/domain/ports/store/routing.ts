/**
 * The sites whose visitors a change of routing affects, by id; `ENCODED` stands for the files of all sites whose
 * encodings were not all known.
 */
export type AffectedSites = readonly number[];

/** Encodings were recorded. No site has this id: they count from 1. */
export const ENCODED = 0;

/** The changes that the log of routing keeps. Whoever is further behind reads everything anew. */
export const ROUTING_LOG_LENGTH = 128;

/** A change of more sites than this is logged as one of everything. */
export const MAX_AFFECTED_SITES = 16;
