// A flow graph of a collective, made from its parameters, for tests of its moves.

import { buildSchedule, groupFacts, type CollectiveRequest } from '../../src/collectives/build-schedule.js';
import type { Communicator } from '../../src/collectives/communicator.js';
import { FlowGraph } from '../../src/collectives/flow-graph.js';
import { canNvls } from '../../src/collectives/nvls.js';
import { type Schedule } from '../../src/collectives/schedule.js';
import { chooseWith, type Choice, type SelectionProfile } from '../../src/collectives/selection.js';
import type { Wish } from '../../src/collectives/choice.js';
import { flowLines, flowRecords, type FlowRecord } from '../../src/formats/single-flows.js';

const auto: Wish = { algorithm: 'auto', protocol: 'auto' };

/** A flow graph, and what it was made from. */
export interface Made {
  readonly flows: readonly FlowRecord[];
  readonly schedule: Schedule;
  readonly choice: Choice;
}

/** The flow graph of a collective, written and read again. */
export function made(
  communicator: Communicator,
  profile: SelectionProfile,
  request: CollectiveRequest,
  { wish = auto, channels = 0, pxn = false, nvls = true, firstId = 0 } = {},
): Made {
  const choice = chooseWith(
    profile,
    {
      ...request,
      groupKind: 'tp',
      facts: groupFacts(communicator),
      gpuType: 'H100',
      hasNvswitches: canNvls(communicator),
      nvls,
      pxn,
      collnet: false,
      channels,
    },
    wish,
  );
  const schedule = buildSchedule(request, choice, communicator);
  const cause = {
    collective: 0,
    operation: request.kind,
    group: 'tp',
    layer: -1,
    pass: '',
    microBatch: 0,
    iteration: 0,
  };
  const graph = [{ cause, flows: new FlowGraph(communicator, schedule, choice, firstId) }];
  const text = [...flowLines(flowRecords(graph, { collectives: 0, flows: 0, sizeBytes: 0 }))].join('');
  const flows =
    text === ''
      ? []
      : text
          .trimEnd()
          .split('\n')
          .map((line): FlowRecord => JSON.parse(line) as FlowRecord);
  return { flows, schedule, choice };
}
