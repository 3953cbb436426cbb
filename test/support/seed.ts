// The seed of all random tests: WEFT_SEED, or the clock's. Titles of tests name it, so that what failed can be drawn
// again.

export const seed = Number(process.env['WEFT_SEED'] ?? Date.now() % 2 ** 31);
