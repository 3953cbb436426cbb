// What people call the switches inside servers: NVSwitches, or PCIe switches where the GPUs have no NVLink.
// Invariant: one fabric has one word for all of them, by its type of GPU (gpus-without-nvlink.ts); they are one kind of
// node all the same, and records call it `nvswitch`. Not modelled: servers of both.

import { type Fabric, nodeKindNames, NodeKind } from './fabric.js';
import { lacksNvlink } from './gpus-without-nvlink.js';

/** Names of the switches inside servers. */
export interface ServerSwitchNames {
  /** in names of nodes and kinds of links, such as `nvswitch[0]` */
  readonly word: 'nvswitch' | 'pcie';
  /** in names of tiers of links, such as `host-NVSwitch` */
  readonly short: 'NVSwitch' | 'PCIe';
  readonly one: string;
  readonly many: string;
  readonly withArticle: string;
}

const nvswitch: ServerSwitchNames = {
  word: 'nvswitch',
  short: 'NVSwitch',
  one: 'NVSwitch',
  many: 'NVSwitches',
  withArticle: 'an NVSwitch',
};
const pcie: ServerSwitchNames = {
  word: 'pcie',
  short: 'PCIe',
  one: 'PCIe switch',
  many: 'PCIe switches',
  withArticle: 'a PCIe switch',
};

/** What a fabric's switches inside servers are called. @param gpuType as its topology names it */
export function serverSwitchNames({ gpuType }: Pick<Fabric, 'gpuType'>): ServerSwitchNames {
  return lacksNvlink(gpuType) ? pcie : nvswitch;
}

/** Whether a tier of links (link-tiers.ts) is inside servers. */
export function isWithinServers(tierName: string): boolean {
  return [nvswitch, pcie].some(({ short }) => tierName.split('-').includes(short));
}

/** What a kind of node is called in a fabric, such as `host` in `host-switch`. @param kind a NodeKind */
export function nodeWord(fabric: Pick<Fabric, 'gpuType'>, kind: number): string {
  return kind === NodeKind.nvswitch ? serverSwitchNames(fabric).word : nodeKindNames[kind]!;
}
