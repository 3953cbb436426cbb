// The columns of interface counters as CSV, by the names that exporters give them.
// Forms: a row for each interface and time with a column for each counter (wide), or a row for each value with the name
// of the counter in a column of its own (long), as queries of Prometheus and InfluxDB are written out.
// Invariant: a name means the same in either form; capitals, `_`, `-` and a path before the last `/` mean nothing.
// Sources of the names: node_exporter (netdev collector), IF-MIB (RFC 2863; Counter32 beside the HC counters), OpenConfig
// (openconfig-interfaces, state/counters), Telegraf (plug-ins net and snmp), and Weft's own table port_polls.

/** What is read of an interface. */
const interfaceCounters = ['transmitBytes', 'receiveBytes', 'transmitPackets', 'receivePackets'] as const;
type InterfaceCounter = (typeof interfaceCounters)[number];

/** A counter, by its place in {@link interfaceCounters}, and its bits. */
export interface NamedCounter {
  readonly counter: number;
  readonly bits: 32 | 64;
}

const names: Record<InterfaceCounter, string> = {
  transmitBytes:
    'nodenetworktransmitbytes ifhcoutoctets ifoutoctets outoctets txbytes transmitbytes transmittedbytes bytessent sentbytes',
  receiveBytes:
    'nodenetworkreceivebytes ifhcinoctets ifinoctets inoctets rxbytes receivebytes receivedbytes bytesrecv bytesreceived',
  transmitPackets:
    'nodenetworktransmitpackets ifhcoutucastpkts ifoutucastpkts outpkts outunicastpkts txpackets transmitpackets packetssent',
  receivePackets:
    'nodenetworkreceivepackets ifhcinucastpkts ifinucastpkts inpkts inunicastpkts rxpackets receivepackets packetsrecv',
};
/** Counter32 of IF-MIB: they begin anew after 2^32 - 1. */
const of32Bits = new Set(['ifoutoctets', 'ifinoctets', 'ifoutucastpkts', 'ifinucastpkts']);
const counters: ReadonlyMap<string, NamedCounter> = new Map(
  interfaceCounters.flatMap((counter, i) =>
    names[counter].split(' ').map((name) => [name, { counter: i, bits: of32Bits.has(name) ? 32 : 64 }] as const),
  ),
);

/** What columns say beside counters, the likeliest name first. */
const roles = {
  time: ['timestamp', 'time', 'timeps', 'datetime', 'ts'],
  device: [
    'instance',
    'exportedinstance',
    'agenthost',
    'source',
    'hostname',
    'host',
    'sysname',
    'node',
    'switch',
    'target',
  ],
  interface: ['interface', 'interfacename', 'ifname', 'iface', 'ifdescr', 'port', 'portname'],
  metric: ['metric', 'metricname', 'field', 'counter'],
  value: ['value'],
} as const;

/** Places of the columns of a file; -1: it has none. */
export interface InterfaceColumns {
  readonly time: number;
  /** the column of times counts picoseconds */
  readonly isTimePs: boolean;
  readonly device: number;
  readonly interface: number;
  readonly metric: number;
  readonly value: number;
  readonly counters: readonly { readonly column: number; readonly named: NamedCounter }[];
  /** what is missing, in a few words; '' if nothing is */
  readonly missing: string;
}

/** The counter that exporters call so; undefined: none that is read. */
export function interfaceCounterOf(name: string): NamedCounter | undefined {
  return counters.get(plain(name));
}

/** The columns of a header. */
export function interfaceColumns(header: readonly string[]): InterfaceColumns {
  const plainNames = header.map(plain);
  const place = (role: keyof typeof roles): number => {
    for (const name of roles[role]) if (plainNames.includes(name)) return plainNames.indexOf(name);
    return -1;
  };
  // node_exporter calls the interface a device; Prometheus calls the counter __name__, OpenConfig the interface name
  const odd = (name: string, isFree: boolean): number => (isFree ? plainNames.indexOf(name) : -1);
  const [time, value] = [place('time'), place('value')];
  let [device, own, metric] = [place('device'), place('interface'), place('metric')];
  if (own === -1) own = odd('device', device !== -1);
  if (device === -1) device = odd('device', true);
  if (metric === -1) metric = odd('name', value !== -1);
  if (own === -1) own = odd('name', value === -1);
  const found = plainNames.flatMap((name, column) => {
    const named = counters.get(name);
    return named === undefined ? [] : [{ column, named }];
  });
  const isLong = metric !== -1 && value !== -1;
  return {
    time,
    isTimePs: time !== -1 && plainNames[time] === 'timeps',
    device,
    interface: own,
    metric: isLong ? metric : -1,
    value: isLong ? value : -1,
    counters: isLong ? [] : found,
    missing: [
      ...(device === -1 ? ['a device'] : []),
      ...(own === -1 ? ['an interface'] : []),
      ...(!isLong && found.length === 0 ? ['bytes that were sent or received'] : []),
    ].join(', '),
  };
}

function plain(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  return last.replaceAll(/[^a-z0-9]/g, '').replace(/total$/, '');
}
