// The parts of a scenario's form that are the same whatever the catalogues hold: settings and blocks, as schemas of zod
// 4 (scenario-form.ts puts them together). Values are resolved afterwards by base/settings.ts, so that no rule is
// written twice.
// Invariant: a value passes here exactly if resolveSetting accepts it, names of nodes apart (setting-schema.ts).

import { controllerPolicies } from '../../controller/central-controller.js';
import { algorithmNames } from '../../collectives/schedule.js';
import { protocols } from '../../collectives/protocols.js';
import { type ProfilePath, type SelectionProfile, selectionProfiles } from '../../collectives/selection.js';
import { maxTransferBytes } from '../../flows/work-source.js';
import { timelineScopes } from '../../jobs/job-recorder.js';
import * as z from 'zod';
import { thresholdSettings } from '../../backends/packet/ecn-thresholds.js';
import {
  count,
  flag,
  fraction,
  rate,
  size,
  time,
  choice,
  type Setting,
  type SettingGroup,
} from '../../base/settings.js';
import { maxNodes } from '../../fabric/fabric.js';
import type { FabricFamily } from '../../fabric/generators/catalogue.js';
import { type NextHopOrder, waysWithinServers } from '../../routing/equal-cost.js';
import { pinSettings } from '../network/plan-pins.js';
import { senderSettings, transferJobDescription } from './sender-settings.js';
import { lidRules } from '../../routing/lid-offsets.js';
import { checked, leaf, leaves, leavesWithoutDefault, word } from './setting-schema.js';

const nextHopOrders: readonly NextHopOrder[] = ['descending-node-id', 'ascending-node-id'];

/** Settings at the top of a scenario, beside `backend`. */
export const topSettings = {
  seed: count(1, 'seed of every random stream: same scenario and seed, same results', {
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  }),
  sendLatency: time('0us', 'software time between the start of a transfer and the creation of its queue pair'),
  stopTime: time(
    '0us',
    'when the run ends, whatever is unfinished then: flows that are endless for it may be larger than 256 GiB in files; 0: when its work is done',
  ),
} as const satisfies SettingGroup;

const partPrice = (what: string) => fraction(0, `price of ${what}, in any currency`, { minimum: 0, maximum: 1e12 });

/** Settings of groups that every backend has. */
export const runSettings = {
  routing: {
    algorithm: choice(
      ['equal-cost', 'ecmp', 'ftree', 'random', 'dmodk', 'tables'],
      'equal-cost',
      'which ways there are from a switch to a host: equal-cost or ecmp, all shortest ones; by forwarding ' +
        'tables one each, those of ftree (as OpenSM), random (a shortest one, drawn by the seed) or dmodk ' +
        '(d-mod-k), which route fat trees, or those of a file (tables: routing.tables)',
    ),
    lidOffset: choice(
      lidRules,
      'round-robin',
      'which LID of its destination a queue pair is for, where tables have several for a host: round-robin, those of a ' +
        'pair of hosts take them in turn, as MPI stripes messages over them; hash, one for each pair of hosts; first, ' +
        'the base LID',
    ),
    nextHopOrder: choice(
      nextHopOrders,
      'descending-node-id',
      'order of equal-cost next hops that the hash chooses from; descending is what SimAI does',
    ),
    withinServers: choice(
      waysWithinServers,
      'nvlink',
      'by which way GPUs that NVSwitches join send to each other: nvlink, over these; network, over their ' +
        'NICs, as if there were no NVSwitch (NVLS goes to it all the same)',
    ),
  },
  controller: {
    enabled: flag(false, 'the central controller assigns source ports so that concurrent transfers share no link'),
    policy: choice(
      controllerPolicies,
      'first-fit',
      'what it does where no path is free: first-fit, leave the transfer as it is; least-loaded, the path ' +
        'whose links have the fewest bytes under way; bandwidth-aware, count rates instead of links; batch, ' +
        'place transfers that are known at one time together, apart if there is a way',
    ),
    delay: time(
      '0us',
      'control-plane delay: from when the controller takes a request until its answer is there; the transfer waits for it',
    ),
    requestRate: count(
      0,
      'requests that the controller takes a second, one after the other, in the order in which they come; 0: any number',
      { minimum: 0, maximum: 1_000_000_000 },
    ),
    share: fraction(
      1,
      'share of the servers whose transfers it places, drawn by the seed; transfers of the others go by their hash, and it sees them in port counters alone',
    ),
    pollInterval: time('100us', 'how often it reads the counters of all ports, for transfers that it does not place', {
      positive: true,
    }),
    reassign: flag(
      true,
      'after links fail or come back, transfers under way whose path changed are placed anew, by other source ' +
        'ports if need be; false: they keep what they were given',
    ),
  },
  collectives: {
    profile: {
      ...choice<SelectionProfile | ProfilePath>(
        selectionProfiles,
        'nccl',
        'who chooses algorithm, protocol and channels: the tuner of a version of NCCL (nccl: that of 2.28), ' +
          'the rules of the communication-stack document, what SimAI does, or a profile file (weft calibrate), ' +
          'its path relative to the scenario',
      ),
      orFile: 'a profile file',
    },
    algorithm: choice(
      ['auto', ...algorithmNames],
      'auto',
      'the algorithm of every collective that can be done by it; auto: the profile chooses',
    ),
    protocol: choice(
      ['auto', ...protocols],
      'auto',
      'the protocol of every collective whose algorithm has it; auto: the profile chooses',
    ),
    nvls: flag(true, 'NVSwitches may add and spread (NVLS), where a server has them for all ranks of a group'),
    pxn: flag(
      false,
      "GPUs send to other servers through the GPU of their own server that is on the receiver's rail (PXN)",
    ),
    collnet: flag(
      false,
      'profiles of NCCL may choose CollNet, reductions between servers (trees stand for the switches)',
    ),
    channels: count(0, 'channels of a collective; 0: the profile chooses', { minimum: 0, maximum: 64 }),
  },
  timeline: {
    ranks: choice(
      timelineScopes,
      'stages',
      "whose computations, waits and collectives are recorded: nobody's, those of the first rank of every pipeline stage, everybody's",
    ),
    moves: flag(false, 'a row for every transfer of a collective: its step, channel and chunk'),
  },
  cost: {
    switch: partPrice('a switch outside servers'),
    port: partPrice('a port of such a switch that has a cable'),
    cable: partPrice('a cable outside servers with both its ends'),
    gpu: partPrice('a GPU with its part of a server'),
  },
  failures: {
    convergenceTime: time('10ms', 'time from a change of a link until switches and NICs route by it'),
  },
} as const;

/** What happens in one line of `failures.events`; only `at` and a target are needed. */
export const failureEventSettings = {
  at: time('0us', 'when it begins; what begins at 0 is known to routing from the start'),
  until: time('0us', 'when it is repaired; left out: never'),
  rate: rate('100Gbps', 'the link is not down but slower: its rate in that time'),
  errorRate: fraction(0, 'the link is not down but loses packets: the probability of each'),
  every: time('0us', 'time from one start of the failure to the next'),
  times: count(1, 'how many times in total', { minimum: 1, maximum: 1_000_000 }),
} as const satisfies SettingGroup;

/** How a link is named, for messages. */
export const linkForm = 'two nodes, such as leaf[2]-spine[0] or 16-20, or a node and its interface, such as 16:3';

/** What a line of `failures.events` may name, one of them. */
export const failureTargets = [
  {
    name: 'link',
    description:
      'all links between two nodes (leaf[2]-spine[0] or 16-20), or the link of one port (leaf[2]:3 or 16:3, node and interface) or NIC (server[2].nic[1])',
  },
  { name: 'switch', description: 'all links of a switch or NVSwitch, by its name (spine[0]) or its node number' },
  { name: 'plane', description: 'all links of a plane: switches connected among themselves, planes counted from 1' },
] as const;

/** The switch of a line of `failures.events`. */
export const failureSwitchSetting = count(0, failureTargets[1].description, {
  minimum: 0,
  maximum: maxNodes,
  names: 'node',
});

/** What each of these groups is about; for documentation and editors. */
export const runGroupDescriptions: Readonly<Record<keyof typeof runSettings, string>> = {
  routing: 'How switches choose among equal-cost paths',
  controller: 'The central controller, which places concurrent transfers on disjoint paths',
  collectives: 'How the collectives of a workload are done',
  timeline: 'What is recorded of the ranks of a workload',
  cost: 'What the parts of the fabric cost; their sum is the figure `cost` of a run',
  failures: 'Links, switches and planes that fail, come back or are degraded during the run',
};

/** One line of `traffic.transfers`; only `start` has a default. */
export const transferSettings = {
  start: time('0us', 'when the transfer starts'),
  source: count(0, 'sending host, or an NVSwitch that is linked to the receiving host', {
    minimum: 0,
    maximum: 2 ** 31 - 1,
    names: 'node',
  }),
  destination: count(1, 'receiving host, or an NVSwitch that is linked to the sending host', {
    minimum: 0,
    maximum: 2 ** 31 - 1,
    names: 'node',
  }),
  size: size('10MiB', 'payload', { minimum: 1, maximum: maxTransferBytes }),
} as const satisfies SettingGroup;

/** One line of `stragglers`; the rank is needed. */
export const stragglerSettings = {
  rank: count(0, 'rank of the fabric: its hosts in order of their ids', {
    minimum: 0,
    maximum: maxNodes,
    names: 'rank',
  }),
  compute: fraction(1, 'speed at which it computes: 0.5 takes twice as long', { minimum: 0.001 }),
  receive: fraction(1, "share of its links' rate at which it receives", { minimum: 0.001 }),
  receiveBuffer: size(
    '0B',
    'its NIC drains a buffer at that speed, and pauses its leaf with PFC frames while it holds this much of a ' +
      'priority; 0: its links are slowed, and it sends no frames',
  ),
} as const satisfies SettingGroup;

/** What may stand beside the file of a fabric. */
export const fileFabricSettings = {
  errorRate: fraction(0, 'share of packets that every link loses for which the file says 0'),
} as const satisfies SettingGroup;

/** `fabric: { file }` */
export const fileFabric = z
  .strictObject({
    file: word('topology file (SimAI or HPCC format), relative to the scenario', 'a path'),
    ...leaves(fileFabricSettings),
  })
  .meta({ title: 'fabric from a file' });

/** `fabric: { generate: FAMILY, … }` */
export function generatedFabricSchema(family: FabricFamily): z.ZodObject {
  const names = [family.name, ...Object.keys(family.otherNames)];
  const generate = checked(() => null, { type: 'string', enum: names, description: family.description });
  return z
    .strictObject({ generate, ...leaves(family.settings) })
    .meta({ title: `generated fabric: ${family.name}`, description: family.description });
}

/** `traffic: { trace }` */
const traceTraffic = z
  .strictObject({
    trace: word('trace file (CSV: timestamp_ns,src,dst,size_bytes), relative to the scenario', 'a path'),
    ...leavesWithoutDefault(pinSettings),
  })
  .meta({ title: 'traffic from a trace' });

/** `traffic: { file }` */
const fileTraffic = z
  .strictObject({
    file: word(
      'flow file of HPCC or ConWeave (the number of flows, then src dst priority bytes start_s), relative to the scenario',
      'a path',
    ),
    ...leavesWithoutDefault(pinSettings),
  })
  .meta({ title: 'traffic from a flow file' });

/** `traffic: { transfers }` */
const inlineTraffic = z
  .strictObject({
    transfers: z
      .array(
        z.strictObject({
          ...leaves(transferSettings, ['source', 'destination', 'size']),
          ...leavesWithoutDefault(senderSettings),
          job: word(transferJobDescription, 'a name').optional(),
          ...leavesWithoutDefault(pinSettings),
        }),
      )
      .min(1)
      .meta({ description: 'the transfers, in any order' }),
  })
  .meta({ title: 'transfers written here' });

/** Where transfers stand: exactly one of these keys. */
export const trafficForms = { trace: traceTraffic, transfers: inlineTraffic, file: fileTraffic } as const;
export type TrafficForm = keyof typeof trafficForms;

/** `ecn.thresholds` */
export function thresholdsSchema(): z.ZodType {
  const line = z.strictObject(leaves(thresholdSettings, Object.keys(thresholdSettings)));
  return z.array(line).min(1).optional().meta({
    description:
      'RED thresholds by port rate, instead of those that come with Weft; every rate of a switch port must be listed',
  });
}

/** `failures.events` */
export function failureEventsSchema(): z.ZodType {
  // no defaults here: what is left out does not happen
  const lines = leavesWithoutDefault(failureEventSettings, ['at']);
  const node: Setting = count(0, '', { minimum: 0, maximum: maxNodes });
  const targets = failureTargets.map(({ name, description }) => {
    const schema =
      name === 'link'
        ? word(description, linkForm)
        : leaf(name === 'switch' ? failureSwitchSetting : { ...node, description }, true);
    return [name, schema.optional()] as const;
  });
  return z
    .array(z.strictObject({ ...lines, ...Object.fromEntries(targets) }))
    .optional()
    .meta({
      description: 'what happens, in any order; each line names one link, switch or plane; an empty list: nothing',
    });
}

/** The schema below a key or an index of another, or null if there is none. */
export function schemaAt(schema: z.ZodType, step: string | number): z.ZodType | null {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject && typeof step === 'string')
    return Object.hasOwn(inner.shape, step) ? (inner.shape[step] as z.ZodType) : null;
  if (inner instanceof z.ZodTuple) return (inner.def.items[Number(step)] as z.ZodType | undefined) ?? null;
  if (inner instanceof z.ZodArray) return inner.element as z.ZodType;
  return null;
}

/** The keys that a block may have; none if it is not a block. */
export function keysOf(schema: z.ZodType | null): string[] {
  const inner = schema === null ? null : unwrapped(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
}
