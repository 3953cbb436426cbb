// One case on the three backends, at every size.

import { timeCollective } from '#weft/library/time-collective.js';
import type { Choice } from '#weft/collectives/selection.js';
import type { AgreementCase } from './cases.js';

/** One size of a case, in microseconds. */
export interface AgreementRow {
  readonly sizeBytes: number;
  readonly choice: Choice;
  readonly packetUs: number;
  readonly fluidUs: number;
  readonly analyticalUs: number;
}

/** Times a case at one size on every backend, all with their defaults. */
export async function agreementRow(
  { on, kind, profile, algorithm, protocol, pxn }: AgreementCase,
  sizeBytes: number,
): Promise<AgreementRow> {
  const timed = async (backend: string): Promise<{ us: number; choice: Choice }> => {
    const { timePs, choice, summary } = await timeCollective(on.fabric, {
      kind,
      size: sizeBytes,
      profile,
      algorithm,
      protocol,
      pxn,
      collnet: true,
      backend,
    });
    const failed = summary.verdicts.find(({ ok }) => !ok);
    if (failed !== undefined)
      throw new Error(`${kind} by ${algorithm} on ${backend}: ${failed.name}: ${failed.detail}`);
    return { us: timePs / 1e6, choice };
  };
  const { us: packetUs, choice } = await timed('packet');
  return {
    sizeBytes,
    choice,
    packetUs,
    fluidUs: (await timed('fluid')).us,
    analyticalUs: (await timed('analytical')).us,
  };
}

/** What a backend gives beside packets: 0.05 is 5 % longer. */
export function differences({ packetUs, fluidUs, analyticalUs }: AgreementRow): {
  readonly fluid: number;
  readonly analytical: number;
} {
  return { fluid: fluidUs / packetUs - 1, analytical: analyticalUs / packetUs - 1 };
}
