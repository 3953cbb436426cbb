// Two links to hosts that slow down to a quarter and come back at about one time, in front of a small buffer: found at
// random. What waits at the slow rate in front of a pause keeps it longer than headroom counts, and one packet is dropped.

const rate = 25_000_000_000;
const link = { to: 0, rate, latency: 5000, errorRate: 0 };

export const fasterAgain = {
  recipe: {
    switches: 1,
    tree: Array.from({ length: 7 }, () => link),
    extra: [],
    hosts: [[link], [link, { ...link, rate: 100_000_000_000 }, link]],
    gpusPerServer: 1,
    nvswitches: 0,
    shuffle: 199_048_128,
  },
  transfers: [
    [73, 0, 1, 0],
    [0, 0, 146_820, 9_218_561],
    [339, 0, 43_995, 0],
    [279, 0, 115_514, 0],
    [0, 0, 84_311, 0],
    [241, 0, 116_264, 0],
    [0, 0, 27_902, 0],
  ] as [number, number, number, number][],
  failures: [
    { link: 426, at: 14, long: 76, isDown: false },
    { link: 0, at: 90, long: 1, isDown: false },
  ],
};
