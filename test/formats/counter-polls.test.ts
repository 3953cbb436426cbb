// Polled counters as text: what a run wrote comes back through the reader, round by round; rounds, times and lanes by
// hand; mistakes with their places; any text at all.

import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { knownIdentity } from '../../src/fabric/level-identity.js';
import { LaneText, PerfqueryText } from '../../src/formats/perfquery-text.js';
import { readCounterPolls } from '../../src/formats/port-counters.js';
import type { MemorySink } from '../../src/records/memory-sink.js';
import { lanePollTable, portPollTable } from '../../src/records/poll-records.js';
import type { Batch, TableSchema } from '../../src/records/schema.js';
import { star } from '../../validation/fabrics.js';
import { engineRun, settingsWith } from '../support/engine-run.js';
import { seed } from '../support/seed.js';
import { tableRows } from '../support/table-rows.js';

const us = 1e6;
const fabric = star(3, us);
const identity = knownIdentity(fabric, null)!;
const ports = Array.from({ length: fabric.portCount }, (_, port) => port);

function read(text: string): ReturnType<typeof readCounterPolls> & { said: string[] } {
  const diagnostics = new Diagnostics();
  const polls = readCounterPolls(text, 'f', { fabric, identity }, diagnostics);
  return { ...polls, said: diagnostics.list.map(({ code, line }) => `${code} ${line}`) };
}

function batchOf(sink: MemorySink, schema: TableSchema): Batch {
  return { schema, rows: sink.rowCount(schema), columns: schema.columns.map((_, i) => sink.column(schema, i)) };
}

/** A reading of the port of a host. */
const reading = (host: number, words: number): string =>
  `# Port extended counters: Lid ${identity.lid[host]} port 1 (CapMask: 0x1300)\nPortXmitData:....................${words}\n`;
const lanes = (host: number, table: string, name: string, values: readonly number[]): string =>
  `# ${table} counters: Lid ${identity.lid[host]} port 1\nPortSelect:......................1\n` +
  values.map((value, lane) => `${name}${lane}:.................${value}\n`).join('');

describe('what a run wrote', () => {
  it.each(['64-bit', '32-bit'] as const)('comes back with %s counters', (width) => {
    const { sink } = engineRun(
      fabric,
      [
        [0, 2, 300_000],
        [1, 2, 300_000],
      ],
      {
        settings: settingsWith({
          queuePair: { window: 'unlimited' },
          ecn: { enabled: false },
          pfc: { headroomDelays: 3, reserve: 0, thresholdShift: 1, resumeOffset: 5000 },
          switch: { buffer: 300_000 },
          polling: { interval: 10 * us, spread: 4 * us, lanes: true, width },
        }),
      },
    );
    const written = tableRows(sink, portPollTable);
    expect(written.some((row) => row['waitTicks']! > 0)).toBe(true);
    const byLane = new LaneText();
    const laneText = byLane.push(batchOf(sink, lanePollTable)) + byLane.end();
    const { rounds, said } = read(new PerfqueryText().push(batchOf(sink, portPollTable)) + laneText);
    expect(said).toEqual([]);
    expect(rounds.length).toBe(written.length / fabric.portCount);
    // the port of a host is its own; the switch has as many as there are hosts
    const found = rounds.flatMap((round) =>
      ports.map((port) => ({
        timePs: round.readAtPs[port],
        transmitBytes: round.transmitBytes[port],
        receiveBytes: round.receiveBytes[port],
        transmitPackets: round.counters.get('PortXmitPkts')![port],
        receivePackets: round.counters.get('PortRcvPkts')![port],
        waitTicks: round.transmitWaitTicks[port],
      })),
    );
    written.forEach((row, i) => expect(row).toMatchObject(found[i]!));
    tableRows(sink, lanePollTable).forEach((row, i) => {
      const port = Math.floor(i / 8) % fabric.portCount;
      const { laneCounters } = rounds[Math.floor(i / 8 / fabric.portCount)]!;
      const at = port * 16 + row['lane']!;
      expect([
        4 * laneCounters.get('PortVLXmitData')![at]!,
        laneCounters.get('PortVLXmitPkts')![at],
        laneCounters.get('PortVLXmitWait')![at],
      ]).toEqual([row['transmitBytes'], row['transmitPackets'], row['waitTicks']]);
    });
  });

  it('has the form of perfquery', () => {
    const { sink } = engineRun(fabric, [[0, 1, 8192]], { settings: settingsWith({ polling: { interval: 1e9 } }) });
    const lines = new PerfqueryText().push(batchOf(sink, portPollTable)).split('\n');
    // as perfquery -x of infiniband-diags 44.0 prints it, after a line of time
    expect(lines.slice(0, 5)).toEqual([
      '# Time 0.000000000000 s',
      '# Port extended counters: Lid 1 port 1 (CapMask: 0x1300 CapMask2: 0x0000002)',
      'PortSelect:......................1',
      'CounterSelect:...................0x0000',
      'PortXmitData:....................0',
    ]);
  });
});

describe('rounds', () => {
  it('begin where a port is read again at another time; the last reading of each counts', () => {
    const text =
      `# Time 1.5 s\n${reading(0, 10)}# Time 1.500000000001 s\n${reading(1, 20)}` +
      `# Time 1764259200.25 s\n${reading(0, 12)}`;
    const { rounds, last, said } = read(text);
    expect(said).toEqual([]);
    expect(rounds.map(({ transmitBytes }) => [transmitBytes[0], transmitBytes[1]])).toEqual([
      [40, 80],
      [48, NaN],
    ]);
    expect(rounds.map(({ readAtPs }) => [readAtPs[0], readAtPs[1]])).toEqual([
      [1_500_000_000_000, 1_500_000_000_001],
      [1_764_259_200.25 * 1e12, NaN],
    ]);
    expect([last.transmitBytes[0], last.transmitBytes[1], last.portsRead]).toEqual([48, 80, 2]);
  });

  it('the last reading is the one of the latest time, wherever it stands', () => {
    expect(read(`# Time 2 s\n${reading(0, 10)}# Time 1 s\n${reading(0, 7)}`).last.transmitBytes[0]).toBe(40);
  });

  it('without times there is one, and another value is a contradiction', () => {
    const { rounds, said } = read(reading(0, 10) + reading(0, 12));
    expect([rounds.length, rounds[0]!.transmitBytes[0], said]).toEqual([1, 48, ['contradicting-counter 3']]);
  });

  it.each(['# Time 1e3 s', '# Time -1 s', '# Time 5', '# Time 1.0000000000001 s'])('%s is refused', (line) => {
    expect(read(`${reading(0, 1)}${line}\n${reading(0, 2)}`).said).toContain('bad-time 3');
  });

  it('files one after the other meet by their times', () => {
    const first = `# Time 0 s\n${reading(0, 1)}# Time 1 s\n${reading(0, 2)}`;
    const second =
      `# Time 0 s\n${lanes(0, 'PortVLXmitWaitCounters', 'PortVLXmitWait', [5, 0])}` +
      `# Time 1 s\n${lanes(0, 'PortVLXmitWaitCounters', 'PortVLXmitWait', [7, 1])}`;
    const { rounds } = read(first + second);
    expect(
      rounds.map((round) => [round.transmitBytes[0], round.laneCounters.get('PortVLXmitWait')!.slice(0, 3)]),
    ).toEqual([
      [4, Float64Array.of(5, 0, NaN)],
      [8, Float64Array.of(7, 1, NaN)],
    ]);
  });
});

describe('lanes', () => {
  it('alone give what their port has sent', () => {
    const { last, said } = read(lanes(0, 'PortVLXmitData', 'PortVLXmitData', [100, 23]));
    expect([last.transmitBytes[0], last.portsRead, said]).toEqual([492, 1, []]);
  });

  it('at their largest value may have stopped', () => {
    const { last, said } = read(lanes(0, 'PortVLXmitData', 'PortVLXmitData', [2 ** 32 - 1]));
    expect([last.saturated[0], said]).toEqual([1, ['saturated-counter 0']]);
  });

  it.each([
    ['a lane too many', 'PortVLXmitData16:..............1\n', 'unknown-counter 3'],
    ['no number', 'PortVLXmitData:.................1\n', 'unknown-counter 3'],
    ['another counter', 'PortVLXmitPkts1:................1\n', 'unknown-counter 3'],
    ['no value', 'PortVLXmitData1\n', 'bad-counter 3'],
  ])('%s is told', (_, line, code) => {
    const table = lanes(0, 'PortVLXmitData', 'PortVLXmitData', []);
    expect(read(`${table}${line}`).said).toContain(code);
  });
});

it(`any text is read without a failure (seed ${seed})`, () => {
  const pieces = [
    '# Time 1 s\n',
    '# Time 1e3 s\n',
    '# Time -1 s\n',
    reading(0, 4),
    reading(2, 2 ** 33),
    '\0',
    '# Port',
    '\r\n',
    lanes(0, 'PortVLXmitPkts', 'PortVLXmitPkts', [1, 2]),
    lanes(1, 'PortVLOpData', 'PortVLOpData', [1]),
    '# PortVLXmitData counters: Lid 9999999 port 3\n',
    '# PortVLXmitData counters: Lid 1 port 255\nPortVLXmitData0:.1\n',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 12 });
  fc.assert(
    fc.property(text, (parts) => {
      const { rounds, last } = read(parts.join(''));
      expect(rounds.length).toBeGreaterThan(0);
      for (const bytes of last.transmitBytes) expect(Number.isNaN(bytes) || bytes >= 0).toBe(true);
    }),
    { seed, numRuns: 200 },
  );
});
