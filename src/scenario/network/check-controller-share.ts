// A controller that was given a share of the servers and, with this seed, draws none: the run is one without a
// controller.

import { Section } from '../form/section.js';
import { askingHosts } from '../../controller/asking-hosts.js';
import type { Fabric } from '../../fabric/fabric.js';
import { warningAt } from '../form/located.js';

/** Warns if a controller draws no server of a fabric. @param controller of the scenario, resolved */
export function warnOfEmptyShare(
  block: Section,
  controller: { readonly enabled: boolean; readonly share: number },
  fabric: Fabric,
  seed: number,
): void {
  const node = block.node('controller', 'share');
  if (!controller.enabled || node === undefined || askingHosts(fabric, controller.share, seed).includes(1)) return;
  warningAt(
    block.diagnostics,
    'controller-draws-none',
    node.place,
    `the controller places no flow: with seed ${seed} its share of the servers is none of them`,
    { got: String(controller.share), hint: 'give another seed, or a larger share', path: 'controller.share' },
  );
}
