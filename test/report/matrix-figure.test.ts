// Pictures of traffic matrices: which square is black, and which differences are blue or red.

import { expect, it } from 'vitest';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { matrixFigure } from '../../src/report/reconstruct/matrix-figure.js';

function trafficOf(pairs: readonly (readonly [from: number, to: number, size: number])[]): Traffic {
  const builder = new TrafficBuilder(4, 'bytes');
  for (const pair of pairs) builder.add(...pair);
  return { name: 'some', hostCount: 4, unit: 'bytes', note: '', phases: [{ name: 'all', matrix: builder.build() }] };
}

const found = trafficOf([
  [3, 0, 8],
  [0, 2, 4],
]);
const pathsOf = (svg: string): Record<string, string> =>
  Object.fromEntries(
    [...svg.matchAll(/<path fill="([^"]+)" d="([^"]+)"/g)].map(([, colour, path]) => [colour!, path!]),
  );

it('row = destination, column = source, the largest black and half of it half as dark', () => {
  // squares of 384 / 4 from (36, 62)
  expect(pathsOf(matrixFigure(found, null))).toEqual({
    '#000000': 'M324 62h96v96h-96z',
    '#808080': 'M36 254h96v96h-96z',
  });
});

it('too much is blue, too little red, each as dark as its largest', () => {
  const sent = trafficOf([
    [3, 0, 8],
    [0, 2, 3],
    [1, 2, 100],
  ]);
  const paths = pathsOf(matrixFigure(found, sent));
  // the third picture begins two sides and two gaps further
  expect([paths['#0000ff'], paths['#ff0000']]).toEqual(['M876 254h96v96h-96z', 'M972 254h96v96h-96z']);
});
