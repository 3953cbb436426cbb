// What waits at a port as its packets see it, against a count by hand: one sender fills the queue of a slower link, however
// outputs take packets in.

import { expect, it } from 'vitest';
import { linkCountTable } from '#weft/sampling/sample-records.js';
import { scenarioRun } from '../support/scenario-run.js';
import { tableRows } from '../support/table-rows.js';

// node 2 is the switch; the link to host 1 takes 10/3 as long for a packet as the one from host 0
const topology = `3 1 2
2
2 0 100Gbps 1ns 0
2 1 30Gbps 1ns 0
`;
const packets = 9;
const text = `
fabric: { file: a.topo }
backend: credit
packet: { payload: 1000B, header: 0B, gap: 0B }
traffic: { transfers: [{ source: 0, destination: 1, size: ${packets * 1000}B, start: 0us }] }
sampling: { variant: standard, exact: true, congested: threshold }
`;

/** Packets that find so many waiting, themselves included: the k-th leaves 10/3 (k - 1) packet times after the first. */
function thatFind(waiting: number): number {
  let found = 0;
  for (let packet = 1; packet <= packets; packet++) {
    let left = 0;
    while (left < packet - 1 && (left * 10) / 3 < packet - 1) left++;
    if (packet - left >= waiting) found++;
  }
  return found;
}

it.each([
  ['input-buffer', 2],
  ['input-buffer', 3],
  ['input-buffer', 5],
  ['output-queue', 2],
  ['output-queue', 3],
  ['output-queue', 5],
])('with %s packets that find %i waiting are counted', async (acceptance, waiting) => {
  // an output queue that takes three packets leaves up to three waiting for room
  const buffer = acceptance === 'input-buffer' ? '1MB' : '3kB';
  const own = { switching: 'store-and-forward', acceptance, buffer };
  const set = [
    ...Object.entries(own).map(([key, value]) => `credit.${key}=${value}`),
    `sampling.threshold=${waiting}kB`,
  ];
  const { sink } = await scenarioRun(text, set, { 'a.topo': topology });
  const row = tableRows(sink, linkCountTable).find(({ node }) => node === 2);
  expect(row).toMatchObject({ packets, congestedPackets: thatFind(waiting) });
});
