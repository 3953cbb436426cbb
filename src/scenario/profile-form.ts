// The form of a profile file: which base, and which of its figures are others. One schema checks files, says what is
// wrong with them, and is the JSON Schema for editors.
// Invariant: what passes here has values that resolve; what a base does not have (PAT in 2.21) is found by the reader.

import * as z from 'zod';
import { count, size, choice, type Setting } from '../base/settings.js';
import { algorithmNames, collectiveKinds } from '../collectives/schedule.js';
import { maxCollectiveBytes } from '../collectives/collective-run.js';
import { ncclFigures, ncclProfiles } from '../collectives/nccl-figures.js';
import { type PathKind, type Protocol, protocols, tunedAlgorithms } from '../collectives/protocols.js';
import { checked, leaf, word } from './form/setting-schema.js';
import { settingProblem } from './form/setting-problem.js';

/** Links as a profile file calls them. */
export const linkNames = { nvlink: 'nvlink', pcie: 'pci', network: 'network' } as const satisfies Record<
  string,
  PathKind
>;
export type LinkName = keyof typeof linkNames;

/** The most and the least that a pace may be. */
export const leastPace = 0.01;
export const mostPace = 1000;
/** sizes of one pace */
const mostKnots = 1000;

const time = (description: string): Setting => ({ kind: 'time', default: '0us', description });
const fraction = (description: string, minimum: number, maximum: number): Setting => ({
  kind: 'fraction',
  default: minimum,
  minimum,
  maximum,
  description,
});
const share = (description: string): Setting => fraction(description, 0.001, 1);

export const profileSettings = {
  base: choice(ncclProfiles, 'nccl', 'the profile whose figures are taken where this file says nothing'),
  chosenBy: choice(
    ['base', 'profile'],
    'base',
    'whose latencies the tuner reckons with: those of the base, as NCCL does on every cluster, or those of this file',
  ),
  transfer: time('before every move over the network, beside its hop'),
  post: time('what posting a send over the network takes, as NCCL_NET_OVERHEAD'),
  rendezvous: time('before a move over the network of more than rendezvousAbove, beside all other'),
  rendezvousAbove: size('0B', 'bytes on the wire up to which a move waits for no rendezvous', {
    minimum: 0,
    maximum: maxCollectiveBytes,
  }),
  sends: share("share of the network's rate that all-to-all and sendrecv reach, beside the link's"),
  nvls: share('share of NVLink that reductions in NVSwitches reach'),
  size: size('1B', 'whole buffer of a rank', { minimum: 1, maximum: maxCollectiveBytes }),
  pace: fraction('how many times as long it takes', leastPace, mostPace),
} as const satisfies Record<string, Setting>;

/** A value that may be left out. */
const optional = (setting: Setting): z.ZodType => leaf(setting, true).optional();

const latencyTable = (what: string): z.ZodType =>
  z
    .strictObject(
      Object.fromEntries(
        tunedAlgorithms.map((algorithm) => [
          algorithm,
          z
            .strictObject(
              Object.fromEntries(
                protocols
                  .filter((_, column) =>
                    Object.values(ncclFigures('nccl').hopUs).some((table) => table[algorithm][column] !== null),
                  )
                  .map((protocol) => [protocol, optional(time(`${what}, ${algorithm} with ${protocol}`))]),
              ),
            )
            .optional(),
        ]),
      ),
    )
    .optional()
    .meta({ description: what });

const perProtocol = (link: LinkName): z.ZodType =>
  z
    .strictObject(
      Object.fromEntries(
        protocols.map((protocol: Protocol) => [
          protocol,
          optional(share(`share of the rate of ${link} that ${protocol} reaches`)),
        ]),
      ),
    )
    .optional()
    .meta({ description: `Shares of the rate of ${link} by protocol` });

const listOf = (setting: Setting, description: string): z.ZodType =>
  z
    .array(checked((value) => settingProblem(setting, value), {}))
    .min(1)
    .max(mostKnots)
    .meta({ description });

const errors = (description: string): z.ZodType =>
  z
    .strictObject({
      rows: leaf(count(0, 'rows', { minimum: 0, maximum: 1e9 }), true),
      ...Object.fromEntries(
        ['median', 'p90', 'worst'].map((name) => [
          name,
          leaf(fraction(`${name} of the absolute errors; 0.05 is 5 %`, 0, 1e9), true),
        ]),
      ),
    })
    .optional()
    .meta({ description });

const linkKeys = Object.keys(linkNames) as LinkName[];

/** What a profile file holds. */
export const profileSchema: z.ZodType = z.strictObject({
  base: leaf(profileSettings.base, true),
  about: word('what was measured, for people', 'text').optional(),
  chosenBy: leaf(profileSettings.chosenBy),
  latency: z
    .strictObject({
      base: latencyTable('once per collective'),
      hop: z
        .strictObject(Object.fromEntries(linkKeys.map((link) => [link, latencyTable(`per hop over ${link}`)])))
        .optional()
        .meta({ description: 'Per hop, by kind of link' }),
      transfer: leaf(profileSettings.transfer),
      post: optional(profileSettings.post),
      rendezvous: leaf(profileSettings.rendezvous),
      rendezvousAbove: leaf(profileSettings.rendezvousAbove),
    })
    .optional()
    .meta({ description: 'Latencies' }),
  bandwidth: z
    .strictObject({
      ...Object.fromEntries(linkKeys.map((link) => [link, perProtocol(link)])),
      sends: optional(profileSettings.sends),
      nvls: optional(profileSettings.nvls),
    })
    .optional()
    .meta({ description: "Shares of links' rates" }),
  pace: z
    .array(
      z.strictObject({
        kind: leaf(choice(collectiveKinds, 'allreduce', 'kind of collective'), true),
        servers: leaf(choice(['one', 'several'], 'one', 'ranks on one server, or on several'), true),
        algorithm: leaf(choice(algorithmNames, 'ring', 'algorithm that was chosen'), true),
        protocol: leaf(choice(protocols, 'simple', 'protocol that was chosen'), true),
        sizes: listOf(profileSettings.size, 'whole buffers of a rank, ascending'),
        factors: listOf(profileSettings.pace, 'how many times as long each takes as without'),
      }),
    )
    .optional()
    .meta({ description: 'How many times as long collectives take, by size' }),
  measured: z
    .strictObject({
      fitted: errors('of the rows that the profile was fitted to'),
      heldOut: errors('of the rows that it was not fitted to: the error band of its figures'),
    })
    .optional()
    .meta({ description: 'What weft calibrate found' }),
});

/** The text of schema/profile.schema.json. */
export function profileJsonSchemaText(): string {
  const { $schema, ...schema } = z.toJSONSchema(profileSchema, { io: 'input' });
  const whole = {
    $schema,
    title: 'Weft profile of collectives',
    description: 'What collectives take on a cluster, where it differs from a version of NCCL',
    ...schema,
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
