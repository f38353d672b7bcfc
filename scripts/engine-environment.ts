/**
 * Variables that Bun reads once, at its start, and that halve the memory of a server with full caches: a cache of 64 MiB
 * took 292 MiB under Zipf's law without them and 190 with them, at the same speed. The unit of install.sh and the
 * Dockerfile set the same values; anyone who starts the executable by other means can set them as well.
 * - The heap is collected when it has grown by two fifths, as on a machine of 192 MiB. By default it may double.
 * - The whole heap is collected when less than a fifth of it is left for new objects. By default that is a third, which
 *   two fifths of growth always fall short of.
 * - Free pages are looked for each second instead of ten times a second, which took 5 % of a busy core.
 */
export const ENGINE_ENVIRONMENT = {
  BUN_JSC_forceRAMSize: String(192 * 1024 * 1024),
  BUN_JSC_largeHeapGrowthFactor: "1.4",
  BUN_JSC_minEdenToOldGenerationRatio: "0.2",
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "1000",
};
