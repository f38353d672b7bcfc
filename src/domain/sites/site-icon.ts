/** Files at the top of a site that serve as its icon. Of several, the one that sorts last is best. */
export const ICON_FILES: readonly string[] = ["apple-touch-icon.png", "favicon.ico", "favicon.png", "favicon.svg"];

/** Larger ones are not worth their transfer in a list. */
export const MAX_ICON_BYTES = 100_000;
