// The worker of the panels: collectives, routes and matrices by the library. It answers one question, and fetches nothing.

import { viewRefusal } from '#weft/app/view/view-refusal.js';
import { reconstructTraffic } from '#weft/app/reconstruct/reconstruct-traffic.js';
import { comparedTables, tablesOfCollective } from '#weft/app/calibrate/compared-tables.js';
import { computeRoutes } from '#weft/app/routes/compute-routes.js';
import type { RouteHost } from '#weft/app/routes/make-tables.js';
import { InputError } from '#weft/base/diagnostics.js';
import { maxCollectiveBytes } from '#weft/collectives/collective-run.js';
import type { CollectiveKind } from '#weft/collectives/schedule.js';
import { findFamily } from '#weft/fabric/generators/catalogue.js';
import { sizedParameters } from '#weft/fabric/generators/sized-family.js';
import { generateFabric } from '#weft/library/fabrics.js';
import { timeCollective } from '#weft/library/time-collective.js';
import { treeChoices } from './tool-fabrics.js';
import type { SearchPoint, Tool, ToolAnswer, ToolAsked, ToolNews, ToolRequests, ToolResults } from './tool-protocol.js';

/** simulated where no table was pasted, in bytes */
const usualSizes = [10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30].map((power) => 2 ** power);

type Tools = {
  readonly [T in Tool]: (request: ToolRequests[T], tell: (news: ToolNews[T]) => void) => Promise<ToolResults[T]>;
};

/** @param report told of the state of a search */
function hostWith(report: RouteHost['report']): RouteHost {
  return {
    wallMs: () => performance.now(),
    cpuSeconds: () => performance.now() / 1000,
    // whoever wants to end a search ends this worker
    stopRequested: () => false,
    whenStopped: new Promise(() => {}),
    report,
    solver: null,
  };
}

function treeOf(name: string): { family: string; parameters: Readonly<Record<string, unknown>> } {
  return { family: 'fat-tree', parameters: treeChoices[name]!.parameters };
}

const tools: Tools = {
  collective: async ({ family: name, gpus, collective, table }, tell) => {
    const found = findFamily(name)!;
    const sized = sizedParameters(found.family, found.implied, { gpus, taper: 1, switchPorts: null });
    if (sized === null || sized.gpus !== gpus)
      throw InputError.about('tool-size', 'GPUs', `${name} has no such size`, {
        got: String(gpus),
        wanted: sized === null ? 'another family' : `such as ${sized.gpus}`,
      });
    const fabric = generateFabric(name, sized.parameters);
    const kind = collective as CollectiveKind;
    const group = { kind, ranks: gpus, largestBytes: maxCollectiveBytes };
    const measured = table.trim() === '' ? null : tablesOfCollective(table, 'the table', group);
    const timed = [];
    for (const size of measured?.sizes ?? usualSizes) {
      const { timePs, busBandwidth, choice } = await timeCollective(fabric, { kind, size });
      timed.push({ sizeBytes: size, timePs, busBandwidth, choice, kind, ranks: gpus });
      tell({ sizeBytes: size, timePs, busBandwidth, algorithm: choice.algorithm });
    }
    return {
      points: timed.map(({ choice, sizeBytes, timePs, busBandwidth }) => ({
        sizeBytes,
        timePs,
        busBandwidth,
        algorithm: choice.algorithm,
      })),
      measured: measured === null ? [] : comparedTables(measured, timed),
      warnings: measured?.warnings.map(({ message }) => message) ?? [],
    };
  },
  routes: async ({ fabric, traffic, seconds }, tell) => {
    const points: SearchPoint[] = [];
    const startMs = performance.now();
    const host = hostWith(({ stage, incumbent, bound }) => {
      const last = points.at(-1);
      if (bound === null || (last?.largestLoad === incumbent && last.lowerBound === bound)) return;
      const point = {
        seconds: (performance.now() - startMs) / 1000,
        stage,
        largestLoad: incumbent,
        lowerBound: bound,
      };
      points.push(point);
      tell(point);
    });
    const found = await computeRoutes({ fabric: treeOf(fabric), traffic, algorithm: 'weft', seconds }, host);
    const { maxLoad, adaptiveBound, lowerBound, arGap, provenOptimal } = found.evaluation!;
    return {
      points,
      hosts: found.source.fabric.hosts.length,
      largestLoad: maxLoad,
      adaptiveBound,
      lowerBound,
      gap: arGap,
      isProven: provenOptimal,
      seconds: (performance.now() - startMs) / 1000,
    };
  },
  matrix: async ({ fabric, traffic, lanes, noise, seconds }) => {
    const request = { fabric: treeOf(fabric), tables: 'ftree', traffic, lanes, noise, seconds, figure: true };
    const found = await reconstructTraffic(
      request,
      hostWith(() => {}),
    );
    return {
      picture: found.figure!,
      hosts: found.source.fabric.hosts.length,
      pairs: found.pairs,
      counters: found.counters,
      relativeError: found.relativeError,
      residual: found.residual,
      steps: found.steps,
      end: found.end,
    };
  },
};

addEventListener('message', ({ data }: MessageEvent<ToolAsked>) => void answer(data));

async function answer<T extends Tool>({ tool, request }: ToolAsked<T>): Promise<void> {
  try {
    say({ kind: 'ended', result: await tools[tool](request, (news) => say({ kind: 'news', news })) });
  } catch (error) {
    say({ kind: 'refused', refusal: viewRefusal(error) });
  }
}

function say(told: ToolAnswer): void {
  postMessage(told);
}
