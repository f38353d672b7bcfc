/**
 * Variables that Bun reads once, at its start. They halve the memory of a server with full caches: with a cache of 64
 * MiB under Zipf's law it takes 190 MiB instead of 292, at the same speed. The unit in install.sh and the Dockerfile
 * set the same values. Anyone who starts the executable in another way can set them as well.
 * - The heap is collected when it has grown by two fifths, as on a machine with 192 MiB. By default it may double.
 * - The whole heap is collected when less than a fifth of it is left for new objects. By default that is a third, which
 *   growth by two fifths never reaches.
 * - Free pages are searched once per second instead of ten times, which took 5 % of a busy core.
 */
export const ENGINE_ENVIRONMENT = {
  BUN_JSC_forceRAMSize: String(192 * 1024 * 1024),
  BUN_JSC_largeHeapGrowthFactor: "1.4",
  BUN_JSC_minEdenToOldGenerationRatio: "0.2",
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "1000",
};
