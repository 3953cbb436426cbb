// Captures of fabrics that are broken, old or mixed, as ibsim serves them: LIDs are 0, for OpenSM deals them out.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { referencePath } from '../reference.js';
import { identifiedSwitches } from './switch-fabrics.js';

/** Five leaves below three spines, all switches of one name; two hosts on a spine, a cable missing. */
export function hostsOnSpine(onLeaf = 4): string {
  const links = [0, 1, 2, 3, 4].flatMap((leaf) => [5, 6, 7].map((spine): [number, number] => [leaf, spine]));
  const { fabric, identity } = identifiedSwitches([...Array<number>(5).fill(onLeaf), 0, 2, 0], links.slice(1), 7);
  const isHost = (node: number): boolean => node < fabric.hosts.length;
  return writeIbnetdiscover({
    fabric,
    identity: {
      ...identity,
      nodeName: identity.nodeName.map((_, node) =>
        isHost(node) ? `gpu${node} mlx5_0` : 'Quantum Mellanox Technologies',
      ),
      lid: new Uint16Array(fabric.nodeCount),
    },
  });
}

/** A capture of the reference data, which has to be there. */
export const captured = (name: string) => (): string => {
  const bytes = readFileSync(referencePath('trials-2', name)!);
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};
