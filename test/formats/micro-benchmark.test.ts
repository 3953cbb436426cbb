// The short form of workloads, and how the two forms are told apart.

import { describe, expect, it } from 'vitest';
import { Diagnostics, type Diagnostic } from '../../src/base/diagnostics.js';
import type { GivenGroups } from '../../src/formats/micro-benchmark.js';
import { readWorkloadFile } from '../../src/formats/workload-file.js';
import { layerAt, type Workload } from '../../src/workload/workload.js';

const groups: GivenGroups = { tensor: 8, data: 16, expert: 4 };

// the example of SimAI's communication document
const example = `# microAllReduce.txt
1 ALLREDUCE 1048576 TP    # 1MB AllReduce on TP group
1 ALLREDUCE 67108864 DP  # 64MB AllReduce on DP group
1 ALLTOALL 16777216 EP   # 16MB AllToAll on EP group
`;

function read(text: string, given: GivenGroups = groups): { workload: Workload | null; diagnostics: Diagnostic[] } {
  const diagnostics = new Diagnostics();
  return { workload: readWorkloadFile(text, 'm.txt', given, diagnostics), diagnostics: diagnostics.list };
}

function mistakes(text: string, given: GivenGroups = groups): string[] {
  const { workload, diagnostics } = read(text, given);
  expect(workload).toBeNull();
  return diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`);
}

function collectives({ layers }: Workload): string[] {
  return Array.from({ length: layers.count }, (_, i) => layerAt(layers, i)).map(
    ({ forward: { collective, group, sizeBytes } }) => `${collective} ${group} ${sizeBytes}`,
  );
}

describe('a micro-benchmark', () => {
  it('gives one collective per line, in order, and the groups that are given', () => {
    const { workload, diagnostics } = read(example);
    expect(diagnostics).toEqual([]);
    expect(collectives(workload!)).toEqual(['allreduce tp 1048576', 'allreduce dp 67108864', 'alltoall ep 16777216']);
    expect(workload).toMatchObject({ policy: 'MICRO', groups: { tensor: 8, expert: 4, pipeline: 1, gpus: 128 } });
  });

  it('repeats a collective as often as the line says', () => {
    expect(collectives(read('2 ALLGATHER 1MiB DP_EP\n1 BROADCAST 3 TP\n').workload!)).toEqual([
      'allgather dp_ep 1048576',
      'allgather dp_ep 1048576',
      'broadcast tp 3',
    ]);
  });

  it.each<[string, GivenGroups, string]>([
    ['no sizes', {}, 'tensor, data and expert'],
    ['no expert size', { tensor: 8, data: 16 }, 'expert'],
    ['no tensor size', { data: 16, expert: 1 }, 'tensor'],
  ])('needs the sizes of the groups: %s', (_, given, missing) => {
    expect(mistakes(example, given)).toEqual(['workload-groups-missing 2:1']);
    expect(read(example, given).diagnostics[0]).toMatchObject({
      message: `a micro-benchmark carries no sizes of groups, and the size of the ${missing} groups is not given`,
      hint: expect.stringContaining('--tp, --dp and --ep') as unknown,
    });
  });

  it.each<[string, string, string[]]>([
    ['no group', '1 ALLREDUCE 1048576\n', ['workload-incomplete-layer 1:20']],
    ['a field too many', '1 ALLREDUCE 8 TP DP\n', ['workload-extra-field 1:18']],
    ['never', '0 ALLREDUCE 8 TP\n', ['workload-times 1:1']],
    ['too often', '1 ALLREDUCE 8 TP\n1048576 ALLREDUCE 8 TP\n', ['workload-too-large 2:1']],
    ['a word for a number', '1 ALLREDUCE 8 TP\nx ALLREDUCE 8 TP\n', ['workload-times 2:1']],
    ['an unknown collective', '1 ALLREDUCT 8 TP\n', ['unknown-collective 1:3']],
    ['nothing', '1 NONE 8 TP\n', ['unknown-collective 1:3']],
    ['the group behind the collective', '1 ALLTOALL_EP 8 EP\n', ['unknown-group 1:3']],
    ['an unknown group', '1 ALLREDUCE 8 PP\n', ['unknown-group 1:15']],
    ['no bytes', '1 ALLREDUCE 0 TP\n', ['workload-size 1:13']],
    ['an unknown unit', '1 ALLREDUCE 8MBit TP\n', ['workload-size 1:13']],
    ['bytes without end', `1 ALLREDUCE ${'9'.repeat(40)} TP\n`, ['workload-overflow 1:13']],
    [
      'several mistakes',
      '0 X y Z\n1 ALLREDUCE -8 TP\n',
      ['workload-times 1:1', 'unknown-collective 1:3', 'workload-size 1:5', 'unknown-group 1:7', 'workload-size 2:13'],
    ],
  ])('refuses %s', (_, text, expected) => {
    expect(mistakes(text)).toEqual(expected);
  });

  it('refuses expert groups that do not divide the data groups', () => {
    expect(mistakes(example, { ...groups, expert: 3 })).toEqual(['workload-groups 2:1']);
  });
});

describe('a workload file', () => {
  const file =
    'HYBRID_TRANSFORMER model_parallel_NPU_group: 8 ep: 4 pp: 1 vpp: 1 ga: 1 all_gpus: 128\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n';

  it('needs no sizes, and may not be contradicted', () => {
    for (const given of [{}, groups, { data: 16 }])
      expect(read(file, given)).toMatchObject({ workload: { policy: 'HYBRID_TRANSFORMER' }, diagnostics: [] });
    expect(mistakes(file, { tensor: 4, data: 32, expert: 4 })).toEqual([
      'workload-groups-given 1:1',
      'workload-groups-given 1:1',
    ]);
    expect(read(file.replace('all_gpus: 128', ''), { data: 99 }).diagnostics).toEqual([]);
  });

  it('is refused if it is neither form', () => {
    expect(mistakes('hello\n')).toEqual(['workload-policy 1:1']);
    expect(mistakes('')).toEqual(['workload-empty 0:0']);
  });
});
