// Pictures of traffic matrices: which square is black, and which differences are blue or red.

import { expect, it } from 'vitest';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { densePairs, matrixFigure, singleMatrix } from '../../src/report/reconstruct/matrix-figure.js';

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
  // half a thousandth of the largest pair is no difference, and scaled apart it would be as red as can be
  const nearly = trafficOf([
    [3, 0, 8],
    [0, 2, 4.004],
  ]);
  expect(pathsOf(matrixFigure(found, nearly))).not.toHaveProperty('#ff0000');
});

it('draws what bases tell below, and entries in blue and red, scaled apart, without what is nearly nothing', () => {
  const entries = new Float32Array(16);
  // rows: destinations 0 and 3
  [entries[1], entries[12]] = [10, -1];
  const svg = matrixFigure(found, null, [{ name: 'scd', share: densePairs(found), entries }]);
  for (const title of ['told by scd', 'entries in scd']) expect(svg).toContain(title);
  // the second row begins at 62 + 384 + 36, the second column at 36 + 384 + 36
  const paths = pathsOf(svg);
  expect([paths['#0000ff'], paths['#ff0000']]).toEqual(['M552 482h96v96h-96z', 'M456 770h96v96h-96z']);
  expect(svg.match(/#000000/g)).toHaveLength(2);
  // less than a thousandth of the largest is what the search has not yet brought to nothing
  entries[12] = -0.009;
  expect(pathsOf(matrixFigure(found, null, [{ name: 'scd', share: densePairs(found), entries }]))).not.toHaveProperty(
    '#ff0000',
  );
});

it('draws a part of a matrix, and outlines another one', () => {
  const matrix = densePairs(found);
  // rows 2 and 3, columns 0 and 1: what 0 sends to 2 is half of the largest of the whole
  const part = singleMatrix('part', matrix, 4, { row: 2, column: 0, count: 2 }, false);
  expect(pathsOf(part)).toEqual({ '#808080': 'M36 62h192v192h-192z' });
  expect(part).toContain('rows 2 to 3, columns 0 to 1');
  const outlined = singleMatrix('all', matrix, 4, { row: 0, column: 0, count: 4 }, false, [
    { row: 2, column: 0, count: 2 },
  ]);
  expect(outlined).toContain('<rect x="36" y="254" width="192" height="192" fill="none" stroke="#5fb4e5"/>');
});
