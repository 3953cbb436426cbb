// Interface counters as CSV: the same readings in the form of each exporter, counters that begin anew by hand, names of
// devices and interfaces, mistakes with their places, any text at all.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { knownIdentity } from '../../src/fabric/level-identity.js';
import { looksLikeInterfaceCounters, readInterfaceCounters } from '../../src/formats/interface-counters.js';
import { readInterfaceList } from '../../src/formats/interface-ports.js';
import { printedTimePs } from '../../src/formats/printed-time.js';
import { readAnything } from '../support/read-anything.js';
import { seed } from '../support/seed.js';

// hosts 0 to 3, leaves 4 and 5 with ports 1 and 2 to hosts and 3 to the spine, spine 6; 100 Gbit/s
const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: '100Gbps' });
const source = { fabric, identity: knownIdentity(fabric, null)! };
const leafPort = (number: number): number => fabric.portOffset[4]! + number - 1;

function read(texts: readonly string[], list?: string) {
  const diagnostics = new Diagnostics();
  const listed = list === undefined ? undefined : readInterfaceList(list, 'list', source, diagnostics);
  const named = texts.map((text, i) => ({ text, name: `f${i}` }));
  const readings = readInterfaceCounters(named, source, diagnostics, listed ?? undefined);
  const said = diagnostics.list.map(({ code, file, line, column }) => `${code} ${file}:${line}:${column}`);
  return { ...readings, said, messages: diagnostics.list.map(({ message }) => message) };
}

/** Bytes that leaf 0 sent by port 2, read at these seconds. */
const sent = (column: string, ...readings: readonly (readonly [number, string | number])[]) => {
  const rows = readings.map(([time, value]) => `${time},leaf[0],swp2,${value}\n`).join('');
  const { transmitBytes, said } = read([`time,host,interface,${column}\n${rows}`]);
  return [transmitBytes[leafPort(2)], ...said];
};

/** The port whose bytes a row is, by device and interface; -1: none. */
const portOf = (device: string, name: string, more = ''): number =>
  read([`host,interface,tx_bytes\n${device},${name},7\n${more}`]).transmitBytes.findIndex((own) => own > 0);

const readText = (text: string): void => {
  readAnything(text, (own, diagnostics) => {
    const readings = readInterfaceCounters([{ text: own, name: 'f' }], source, diagnostics);
    if (diagnostics.hasErrors) return null;
    // what is read is an amount, of a port that was read
    readings.transmitBytes.forEach((bytes) => expect(Number.isNaN(bytes) || bytes >= 0).toBe(true));
    expect(readings.portsRead).toBeGreaterThan(0);
    return readings;
  });
};

const fileOf = (time: number, value: number): string => `time,host,interface,tx_bytes\n${time},leaf[0],swp2,${value}\n`;

/** What the readings of all forms below say: port 2 of leaf 0 sent 5000 bytes and received 700, in 20 packets sent. */
const forms: Record<string, string> = {
  'node_exporter, wide': `timestamp,instance,device,node_network_transmit_bytes_total,node_network_receive_bytes_total,node_network_transmit_packets_total
1764280800,leaf[0]:9100,swp2,1000,300,10
1764280860,leaf[0]:9100,swp2,6000,1000,30
`,
  'Prometheus, long': `__name__,device,instance,job,timestamp,value
node_network_transmit_bytes_total,swp2,leaf[0]:9100,node,1764280800.123,1000
node_network_receive_bytes_total,swp2,leaf[0]:9100,node,1764280800.123,300
node_network_transmit_packets_total,swp2,leaf[0]:9100,node,1764280800.123,1e1
node_network_transmit_errs_total,swp2,leaf[0]:9100,node,1764280860.123,17
node_network_transmit_bytes_total,swp2,leaf[0]:9100,node,1764280860.123,6e+03
node_network_receive_bytes_total,swp2,leaf[0]:9100,node,1764280860.123,1000
node_network_transmit_packets_total,swp2,leaf[0]:9100,node,1764280860.123,30
`,
  'IF-MIB by Telegraf': `time,agent_host,ifName,ifDescr,ifOutOctets,ifHCOutOctets,ifHCInOctets,ifHCOutUcastPkts
2025-11-27T22:01:00Z,leaf[0],Ethernet2,uplink,99,6000,1000,30
2025-11-27T22:00:00Z,leaf[0],Ethernet2,uplink,9,1000,300,10
`,
  'OpenConfig by gNMI': `timestamp,source,interface_name,/interfaces/interface/state/counters/out-octets,/interfaces/interface/state/counters/in-octets,/interfaces/interface/state/counters/out-pkts
1764280800000000000,4,Ethernet2,1000,300,10
1764280860000000000,4,Ethernet2,6000,1000,30
`,
  'Telegraf net': `time,host,interface,bytes_sent,bytes_recv,packets_sent,packets_recv
1764280800000,"leaf[0]","eth2",1000,300,10,
1764280860000,"leaf[0]","eth2",6000,1000,30,
`,
  "Weft's port_polls": `timePs,poll,node,nodeKind,interface,lid,port,transmitBytes,receiveBytes,transmitPackets
0,0,4,1,2,7,2,1000,300,10
60000000000000,1,4,1,2,7,2,6000,1000,30
`,
};

describe('the forms of exporters', () => {
  it.each(Object.keys(forms))('%s', (name) => {
    const { transmitBytes, receiveBytes, counters, portsRead, said } = read([forms[name]!]);
    const port = leafPort(2);
    expect(looksLikeInterfaceCounters(forms[name]!)).toBe(true);
    expect({ said, portsRead }).toEqual({ said: [], portsRead: 1 });
    expect([transmitBytes[port], receiveBytes[port], counters.get('PortXmitPkts')![port]]).toEqual([5000, 700, 20]);
  });

  it('are told from what perfquery prints', () => {
    expect(looksLikeInterfaceCounters('# Port counters: Lid 1 port 1\nPortXmitData:....................7\n')).toBe(
      false,
    );
    expect(looksLikeInterfaceCounters('')).toBe(false);
  });
});

describe('counters that begin anew', () => {
  it.each([
    // 2^32 - 100 -> 50: 150 further; 0.1 s at 100 Gbit/s are 1.25e9 bytes, less than 2^32
    ['32 bits, once', sent('ifOutOctets', [0, 4294967196], [0.1, 50]), [150, 'wrapped-counter f0:3:1']],
    // in 1 s the link carries 12.5e9 bytes, nearly three times 2^32
    ['32 bits, perhaps often', sent('ifOutOctets', [0, 4294967196], [1, 50]), [NaN, 'unclear-counter f0:3:1']],
    [
      '64 bits, reset',
      sent('ifHCOutOctets', [0, 1e6], [1, 1.5e6], [2, 2000], [3, 5000]),
      [505_000, 'counters-reset f0:4:1'],
    ],
    ['64 bits, once', sent('ifHCOutOctets', [0, '18446744073709549568'], [1, 4096]), [6144]],
    ['more than a link carries', sent('ifHCOutOctets', [0, 0], [1, 1e11]), [1e11, 'beyond-rate f0:3:1']],
    ['one reading', sent('ifHCOutOctets', [5, 1234]), [1234, 'one-reading f0:2:1']],
    ['twice at a time', sent('ifHCOutOctets', [0, 100], [1, 600], [1, 700]), [600, 'contradicting-counter f0:4:1']],
    ['nothing was read', sent('ifHCOutOctets', [0, 100], [1, 'NaN'], [2, 300]), [200]],
  ])('%s', (_what, found, wanted) => {
    expect(found).toEqual(wanted);
  });

  it('are counted between two files, and the earlier one has the earlier times', () => {
    expect(read([fileOf(10, 500), fileOf(20, 900)]).transmitBytes[leafPort(2)]).toBe(400);
    expect(read([fileOf(20, 900), fileOf(10, 500)]).said).toEqual(['bad-before f0:2:1']);
    const untimed = (value: number): string => fileOf(0, value).replaceAll(/^(time|0),/gm, '');
    expect(read([untimed(500), untimed(900)]).transmitBytes[leafPort(2)]).toBe(400);
    expect(read([untimed(500), fileOf(20, 900)]).said).toEqual(['bad-header f1:1:1']);
  });
});

describe('names of devices and interfaces', () => {
  it.each([
    ['leaf[0]', 'swp3', leafPort(3)],
    ['4', 'Ethernet1', leafPort(1)],
    ['leaf[0].rack7.example:9100', '2', leafPort(2)],
    ['leaf[0]', 'leaf[0]:2', leafPort(2)],
    // the only interface of a host with one link
    ['host[3]', 'enp65s0f0np0', fabric.portOffset[3]],
    ['host[3]', 'lo', -1],
    ['leaf[0]', 'swp4', -1],
    ['leaf[0]', 'xe-0/0/2', -1],
    ['leaf[0]', 'Ethernet2.100', -1],
    ['leaf[7]', 'swp1', -1],
  ])('%s %s', (device, name, port) => {
    expect(portOf(device, name)).toBe(port);
  });

  it('are not guessed where they count from 0, or where two would be one port', () => {
    expect(read(['host,interface,tx_bytes\nleaf[0],swp0,1\nleaf[0],swp1,7\nleaf[1],swp1,9\n']).said).toEqual([
      'unknown-port f0:2:9',
      'one-reading f0:4:1',
    ]);
    expect(read(['host,interface,tx_bytes\nleaf[0],swp1,1\n4,eth1,7\n']).said).toEqual(['same-port f0:3:3']);
  });

  it('are those of a list, whatever they are', () => {
    const rows = 'host,interface,tx_bytes\ntor-a,xe-0/0/0,7\ntor-a,xe-0/0/1,9\n';
    const { transmitBytes } = read(
      [rows],
      'device,interface,node,port\ntor-a,xe-0/0/0,leaf[0],1\ntor-a,xe-0/0/1,leaf[0],2\n',
    );
    expect([transmitBytes[leafPort(1)], transmitBytes[leafPort(2)]]).toEqual([7, 9]);
    expect(
      read([rows], 'tor-a,xe-0/0/0,leaf[0],1\ntor-a,xe-0/0/1,leaf[0],1\nx,y,leaf[9],1\nx,y\n').said.slice(0, 3),
    ).toEqual(['bad-interface list:2:1', 'bad-interface list:3:1', 'bad-interface list:4:1']);
  });
});

describe('mistakes', () => {
  it.each([
    ['', ['no-counters f0:0:0']],
    ['time,host,interface,errors\n', ['bad-header f0:1:1']],
    ['time,interface,tx_bytes\n', ['bad-header f0:1:1']],
    ['time,host,interface,tx_bytes\n', ['no-counters f0:0:0']],
    ['time,host,interface,tx_bytes\n5,leaf[0],swp1\n', ['bad-row f0:2:1']],
    ['time,host,interface,tx_bytes\n5,leaf[0],swp1,-4\n', ['bad-counter f0:2:16']],
    ['time,host,interface,tx_bytes\n5,leaf[0],swp1,99999999999999999999\n', ['bad-counter f0:2:16']],
    ['time,host,interface,tx_bytes\nnoon,leaf[0],swp1,4\n', ['bad-time f0:2:1']],
    ['time,host,interface,tx_bytes\n5,leaf[0],"swp1,4\n', ['bad-row f0:2:1']],
    ['time,host,interface,tx_bytes\n5,,swp1,4\n', ['bad-row f0:2:4']],
    ['time,host,interface,tx_bytes\n5,elsewhere,swp1,4\n', ['no-counters f0:2:13']],
  ])('%j', (text, said) => {
    expect(read([text]).said).toEqual(said);
  });

  it('of another fabric are told beside what is known', () => {
    const { said } = read(['time,host,interface,tx_bytes\n1,leaf[0],swp1,4\n2,leaf[0],swp1,5\n1,elsewhere,swp1,4\n']);
    expect(said).toEqual(['unknown-device f0:4:13']);
  });
});

it('times: of ISO 8601 and since 1970 are the same', () => {
  // date -u -d '2025-11-27T22:00:00Z' +%s
  for (const text of [
    '2025-11-27T22:00:00Z',
    '2025-11-27 23:00:00+01:00',
    '1764280800',
    '1764280800000',
    '1764280800e0',
  ])
    expect(printedTimePs(text)).toBe(1_764_280_800e12);
  // date -u -d '2000-02-29T12:00:00.5' +%s
  expect(printedTimePs('2000-02-29T12:00:00.5Z')).toBe(951_825_600.5e12);
  for (const text of ['2025-13-01T00:00:00Z', 'yesterday', '', '-5', '1'.repeat(40)])
    expect(printedTimePs(text)).toBe(null);
});

describe(`any text (WEFT_SEED=${seed})`, () => {
  it('is counters or mistakes with their places', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), readText), { seed, numRuns: 40 });
    const bits = fc.constantFrom(
      'time',
      ',',
      '\n',
      '"',
      'host',
      'interface',
      'tx_bytes',
      'value',
      'metric',
      'leaf[0]',
      'swp1',
      '1e9',
      '-1',
      '\r',
      '\0',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 60 }), (own) => readText(own.join(''))),
      { seed, numRuns: 120 },
    );
  });

  it('that was a file, with letters changed, cut and doubled, too', () => {
    const texts = Object.values(forms);
    const mutant = fc.record({
      form: fc.nat(texts.length - 1),
      edits: fc.array(fc.tuple(fc.nat(400), fc.nat(20), fc.string({ maxLength: 3 })), { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(mutant, ({ form, edits }) => {
        let text = texts[form]!;
        for (const [at, length, put] of edits) text = text.slice(0, at) + put + text.slice(at + length);
        readText(text);
      }),
      { seed, numRuns: 150 },
    );
  });
});
