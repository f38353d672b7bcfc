/**
 * The field of every response of a private site, refusals and errors included. A browser then fails all requests of
 * other origins' pages alike. Otherwise such a page could find out what its visitor may see.
 */
export const UNREADABLE_ELSEWHERE = { "cross-origin-resource-policy": "same-origin" } as const;

/**
 * The fields of every response of the base host, errors included. A page of another origin can neither find out what
 * its visitor may see, nor keep a handle on a window that shows it.
 */
export const ISOLATED = { ...UNREADABLE_ELSEWHERE, "cross-origin-opener-policy": "same-origin" } as const;
