// Other forms of cases for `weft diagnose` than cases.ts has: workloads as people run them (collectives, stencils,
// transforms, storage, KV caches, pipelines), other rates and tapers, other ways to put a cause in. Each is a run that
// is quick and the same run with one cause of slowness in it.
//   They say whether the rules of `diagnosis/` hold elsewhere than on the cases that they were made with.

import { RandomStream } from '#weft/base/random.js';
import { causes, type Cause } from '#weft/diagnosis/finding.js';
import type { Scenario } from './cases.js';
import { endpointForms, patternForms, quickForms } from './forms/hosts.js';
import { otherTrafficForms, slowPartForms } from './forms/obstacles.js';
import { Draws, type Backend, type Forms } from './forms/site.js';
import { interiorForms, mappingForms, routesForms } from './forms/switches.js';

export interface PairedCase {
  readonly name: string;
  /** null: nothing is slow */
  readonly cause: Cause | null;
  /** number of the job that owns the samples; null: transfers of none */
  readonly job: number | null;
  readonly quick: Scenario;
  /** with the cause; of no cause the same */
  readonly slow: Scenario;
}

const forms: Readonly<Record<Cause | 'none', Forms>> = {
  none: quickForms,
  endpoint: endpointForms,
  pattern: patternForms,
  interior: interiorForms,
  mapping: mappingForms,
  routes: routesForms,
  'other-traffic': otherTrafficForms,
  'slow-part': slowPartForms,
};

/** The cases of a seed: forms of each cause in turn, on both backends. */
export function pairedCases(seed: number, count: number): PairedCase[] {
  const kinds: readonly (Cause | null)[] = [...causes, null];
  return Array.from({ length: count }, (_, i) => {
    const cause = kinds[i % kinds.length]!;
    const round = Math.floor(i / kinds.length);
    const own = Object.entries(forms[cause ?? 'none']);
    const [form, make] = own[Math.floor(round / 2) % own.length]!;
    const backend: Backend = round % 2 === 0 ? 'credit' : 'packet';
    const {
      quick,
      change = {},
      job = null,
    } = make(new Draws(new RandomStream(seed + 1000 * i, 'forms of cases'), backend));
    const base = {
      backend,
      sampling: { variant: 'standard' },
      ...(backend === 'credit' ? { packet: { payload: '4KiB' } } : {}),
      ...(backend === 'credit' && JSON.stringify(quick).includes('"torus"') ? { credit: { buffer: '4MiB' } } : {}),
    };
    return {
      name: `${cause ?? 'none'}: ${form}, ${backend} ${i}`,
      cause,
      job,
      quick: { ...base, ...quick },
      slow: { ...base, ...quick, ...change },
    };
  });
}
