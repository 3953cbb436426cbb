// SimAI's and HPCC's topology files to Fabric, with the mistakes that they can hold; simai-topology-text.ts writes
// them.   SimAI:  node_num gpus_per_server nvswitch_num switch_num link_num gpu_type     HPCC:  node_num switch_num
// link_num   PowerTCP and ABM:  node_num switch_num tor_num link_num, ABM with two capacities behind them   then the
// ids of the NVSwitches and of the switches, then one line per link: src dst rate delay error_rate.
// Invariants: every mistake has file:line:column and a stable code; nothing is allocated from a count before the count
// was checked.
// Sources: SimAI 1.6's topology generator; HPCC's simulator (README, "topology file"), its forks of PowerTCP and ABM
// (github.com/inet-tub/ns3-datacenter) and ns3-rdma, from which it comes, whose links may lack their error rate.
// Format: docs/formats/simai-topology.md.

import { FileProblems, wholeFile, type Diagnostics, type Position } from '../base/diagnostics.js';
import { maxTimePs, parseTimePs } from '../base/units.js';
import { FabricBuilder, NodeKind, type Fabric } from '../fabric/fabric.js';
import { LineScanner } from './line-scanner.js';
import {
  countLimits,
  longestTopologyWord,
  looksLikeLink,
  remembered,
  topologyRateBps,
  unitHint,
} from './topology-words.js';
import { warnOfFabric } from './topology-warnings.js';
import { isDigits, isNumber } from './number-words.js';

/** What a link's five fields are called in messages. */
const linkFields = ['the first node', 'the second node', 'the rate', 'the delay', 'the error rate'] as const;

interface Header {
  readonly nodeCount: number;
  readonly gpusPerServer: number;
  readonly nvswitchCount: number;
  readonly switchCount: number;
  readonly linkCount: number;
  readonly gpuType: string;
  /** HPCC's form, whose readers stop after the announced links */
  readonly isHpcc: boolean;
  /** where each field stands, for messages that a later line causes */
  readonly linkCountAt: Position;
  readonly gpusPerServerAt: Position;
}

/**
 * Reads a topology file.
 * @param text the file's content; CRLF line ends, a byte order mark, blank lines and # comments are accepted
 * @param file its name, for messages
 * @param diagnostics receives every mistake, and warnings about hosts without links, servers that are not full and
 * unreachable hosts
 * @returns the fabric, links in the order of the file; null if the file has errors
 */
export function readTopology(text: string, file: string, diagnostics: Diagnostics): Fabric | null {
  return new TopologyReader(text, file, diagnostics).read();
}

class TopologyReader extends FileProblems {
  private readonly scanner: LineScanner;
  private readonly rates = new Map<string, number | null>();
  private readonly delays = new Map<string, number | null>();
  /** the words of the link being read, and their positions */
  private readonly words: string[] = ['', '', '', '', ''];
  private readonly places: Position[] = [wholeFile, wholeFile, wholeFile, wholeFile, wholeFile];

  constructor(text: string, file: string, diagnostics: Diagnostics) {
    super(file, diagnostics);
    this.scanner = new LineScanner(text);
  }

  read(): Fabric | null {
    const header = this.readHeader();
    if (header === null) return null;
    const kinds = this.readSwitches(header);
    const builder = new FabricBuilder(header.gpusPerServer, header.gpuType);
    for (const kind of kinds) builder.addNode(kind as NodeKind);
    this.readLinks(header, builder);
    if (this.failed) return null;
    const fabric = builder.build();
    warnOfFabric(fabric, header.gpusPerServerAt, this);
    return fabric;
  }

  private readHeader(): Header | null {
    const { scanner } = this;
    if (!scanner.seek()) {
      this.error('empty-file', wholeFile, 'the topology file is empty', {
        hint: 'make one with: weft topology generate leaf-spine --out FILE',
      });
      return null;
    }
    const places = scanner.words(7, longestTopologyWord + 1);
    const words = places.map(({ text }) => text);
    scanner.skipLine();
    const simai = words.length === 6 && !isDigits(words[5]!);
    // counts of top-of-rack switches, and capacities, say nothing that links do not say
    const hasTors = words.length === 4 || (words.length === 6 && !simai);
    if (!simai && !hasTors && words.length !== 3) {
      const hint =
        words.length === 5
          ? 'is the GPU type (such as H100, or NONE) missing at the end?'
          : 'SimAI files begin like "28 8 2 10 48 A100", HPCC files like "20 4 32"';
      this.error('wrong-header', places[0]!, 'the first line is not a topology header', {
        got: words.join(' '),
        wanted:
          'node_num gpus_per_server nvswitch_num switch_num link_num gpu_type, or node_num switch_num link_num ' +
          '(HPCC), or node_num switch_num tor_num link_num (PowerTCP)',
        hint,
      });
      return null;
    }
    const names = simai
      ? ['node_num', 'gpus_per_server', 'nvswitch_num', 'switch_num', 'link_num']
      : ['node_num', 'switch_num', ...(hasTors ? ['tor_num'] : []), 'link_num'];
    const counts = names.map((name, i) => this.readCount(name, words[i]!, places[i]!, countLimits(name)));
    if (this.failed) return null;
    const [nodeCount, gpusPerServer, nvswitchCount, switchCount, linkCount] = simai
      ? (counts as [number, number, number, number, number])
      : [counts[0]!, 1, 0, counts[1]!, counts[hasTors ? 3 : 2]!];
    const forwarders = nvswitchCount + switchCount;
    if (forwarders >= nodeCount) {
      this.error('bad-count', places[0]!, `of ${nodeCount} nodes, ${forwarders} are switches: no host is left`, {
        got: words.join(' '),
        wanted: 'more nodes than switches and NVSwitches together',
        hint: 'node_num counts hosts, NVSwitches and switches',
      });
      return null;
    }
    const gpuType = simai && words[5] !== 'NONE' ? words[5]! : '';
    return {
      nodeCount,
      gpusPerServer,
      nvswitchCount,
      switchCount,
      linkCount,
      gpuType,
      isHpcc: !simai,
      linkCountAt: places[names.length - 1]!,
      gpusPerServerAt: places[simai ? 1 : 0]!,
    };
  }

  private readCount(name: string, word: string, at: Position, [minimum, maximum]: readonly [number, number]): number {
    const value = isDigits(word) ? Number(word) : NaN;
    if (value >= minimum && value <= maximum) return value;
    const code = value > maximum ? 'too-large' : 'bad-count';
    this.error(code, at, `${name} is ${code === 'too-large' ? 'beyond the limit' : 'not a usable count'}`, {
      got: word,
      wanted: `a whole number from ${minimum} to ${maximum}`,
    });
    return 0;
  }

  /** @returns the kind of every node */
  private readSwitches(header: Header): Uint8Array {
    const { scanner } = this;
    const { nodeCount, nvswitchCount, switchCount } = header;
    const kinds = new Uint8Array(nodeCount);
    const wanted = `${nvswitchCount} NVSwitch ids and then ${switchCount} switch ids`;
    for (let i = 0; i < nvswitchCount + switchCount && !this.full; i++) {
      if (!scanner.word()) {
        if (!scanner.seek() || looksLikeLink(scanner.peek(5))) {
          this.error(
            'wrong-switch-count',
            scanner.position,
            `the list of switch ids ends after ${i} of ${nvswitchCount + switchCount}`,
            {
              wanted,
              hint: 'the header (line 1) says how many NVSwitches and switches follow',
            },
          );
          return kinds;
        }
        scanner.word();
      }
      const word = scanner.value(longestTopologyWord + 1);
      const id = isDigits(word) ? Number(word) : NaN;
      if (Number.isNaN(id))
        this.error('bad-node-id', scanner.position, 'a switch id is not a whole number', { got: word, wanted });
      else if (id >= nodeCount)
        this.error('id-out-of-range', scanner.position, `switch id ${id} does not exist`, {
          got: word,
          wanted: `an id from 0 to ${nodeCount - 1}`,
        });
      else if (kinds[id] !== 0)
        this.error('duplicate-id', scanner.position, `switch id ${id} is listed twice`, {
          got: word,
          wanted: `${wanted}, each once`,
        });
      else kinds[id] = i < nvswitchCount ? NodeKind.nvswitch : NodeKind.switch;
    }
    if (scanner.word()) {
      this.error(
        'wrong-switch-count',
        scanner.position,
        `more ids follow the ${nvswitchCount + switchCount} that the header announces`,
        { got: scanner.value(80), wanted, hint: 'correct the counts in line 1' },
      );
      scanner.skipLine();
    }
    return kinds;
  }

  private readLinks(header: Header, builder: FabricBuilder): void {
    const { scanner } = this;
    let count = 0;
    for (; scanner.seek(); count++) {
      if (this.full) return;
      if (count === header.linkCount) {
        if (header.isHpcc) this.warnOfRest(header);
        else this.refuseRest(header);
        return;
      }
      this.readLink(header, builder);
    }
    if (count === header.linkCount) return;
    const at = header.linkCountAt;
    this.error(
      'missing-links',
      scanner.position,
      `the header announces ${header.linkCount} links, the file ends after ${count}`,
      {
        wanted: `${header.linkCount} link lines`,
        hint: `add the missing links, or change link_num (line ${at.line}, column ${at.column}) to ${count}`,
      },
    );
  }

  /**
   * HPCC's programs read the announced links and no further, and files count on it: ConWeave's has notes there, HPCC's
   * own topology.txt links that it does not mean.
   */
  private warnOfRest({ linkCount, linkCountAt }: Header): void {
    const { scanner } = this;
    const words = scanner.peek(6);
    scanner.word();
    const at = scanner.position;
    let lines = 0;
    let links = 0;
    do {
      lines++;
      if (looksLikeLink(scanner.peek(5))) links++;
      scanner.skipLine();
    } while (scanner.seek());
    if (looksLikeLink(words)) links++;
    this.warning(
      'links-not-read',
      at,
      `${lines} line${lines === 1 ? '' : 's'} after the last of the ${linkCount} links ` +
        `${lines === 1 ? 'is' : 'are'} not ` +
        `read${links === 0 ? '' : `, ${links} of them ${links === 1 ? 'a link' : 'links'}`}, as in HPCC`,
      {
        got: words.join(' '),
        ...(links === 0
          ? {}
          : {
              hint: `if they are meant, change link_num (line ${linkCountAt.line}, column ${linkCountAt.column}) to ${linkCount + links}`,
            }),
      },
    );
  }

  /** The file goes on after the last announced link. */
  private refuseRest(header: Header): void {
    const { scanner } = this;
    const words = scanner.peek(6);
    scanner.word();
    const at = scanner.position;
    if (words.length < 3 || !looksLikeLink(words)) {
      this.error('trailing-garbage', at, `text follows the last of the ${header.linkCount} links`, {
        got: words.join(' '),
        wanted: 'the end of the file',
      });
      return;
    }
    let extra = 0;
    do {
      extra++;
      scanner.skipLine();
    } while (scanner.seek());
    const total = header.linkCount + extra;
    this.error('too-many-links', at, `the header announces ${header.linkCount} links, the file has ${total}`, {
      got: words.join(' '),
      wanted: `${header.linkCount} link lines`,
      hint: `change link_num (line ${header.linkCountAt.line}, column ${header.linkCountAt.column}) to ${total}, or remove this line and what follows`,
    });
  }

  private readLink({ nodeCount, isHpcc }: Header, builder: FabricBuilder): void {
    const { scanner, words, places } = this;
    for (let field = 0; field < 5; field++) {
      const found = scanner.word();
      places[field] = scanner.position;
      if (!found && field === 4 && isHpcc) {
        words[field] = '0';
        continue;
      }
      if (!found) {
        this.error('incomplete-link', scanner.position, `the link line ends before ${linkFields[field]!}`, {
          got: words.slice(0, field).join(' '),
          wanted: 'src dst rate delay error_rate',
          hint: field === 4 ? 'add an error rate: 0 for a link that loses nothing' : 'as in: 0 16 100Gbps 0.0005ms 0',
        });
        return;
      }
      words[field] = scanner.value(longestTopologyWord + 1);
    }
    if (scanner.word()) {
      this.error('trailing-garbage', scanner.position, 'text follows the five fields of a link', {
        got: scanner.value(80),
        wanted: 'src dst rate delay error_rate, and then the end of the line',
        hint: 'a comment begins with #',
      });
      scanner.skipLine();
      return;
    }
    const a = this.readNode(words[0]!, places[0]!, nodeCount);
    const b = this.readNode(words[1]!, places[1]!, nodeCount);
    const rateBps = this.readRate(words[2]!, places[2]!);
    const latencyPs = this.readDelay(words[3]!, places[3]!);
    const errorRate = this.readErrorRate(words[4]!, places[4]!);
    if (a !== null && a === b) {
      this.error('self-link', places[1]!, `node ${a} is linked to itself`, {
        got: words.join(' '),
        wanted: 'two different nodes',
      });
    } else if (
      a !== null &&
      b !== null &&
      rateBps !== null &&
      latencyPs !== null &&
      errorRate !== null &&
      !this.failed
    ) {
      builder.addLink(a, b, rateBps, latencyPs, errorRate);
    }
  }

  private readNode(word: string, at: Position, nodeCount: number): number | null {
    if (!isDigits(word)) {
      this.error('bad-node-id', at, 'a node id is not a whole number', {
        got: word,
        wanted: `an id from 0 to ${nodeCount - 1}`,
      });
      return null;
    }
    const id = Number(word);
    if (id < nodeCount) return id;
    this.error('unknown-node', at, `node ${word} does not exist: the header announces ${nodeCount} nodes`, {
      got: word,
      wanted: `an id from 0 to ${nodeCount - 1}`,
      hint: 'ids count from 0; node_num in line 1 counts all nodes',
    });
    return null;
  }

  private readRate(word: string, at: Position): number | null {
    const rateBps = remembered(this.rates, word, topologyRateBps);
    if (rateBps !== null) return rateBps;
    this.error('bad-rate', at, 'the rate of a link is not a rate', {
      got: word,
      wanted: 'a rate with a unit, such as 100Gbps (1bps to 9000Tbps), or at least 1000000 bit/s without one',
      ...unitHint(word, 'Gbps', topologyRateBps),
    });
    return null;
  }

  private readDelay(word: string, at: Position): number | null {
    const latencyPs = remembered(this.delays, word, parseTimePs);
    if (latencyPs !== null) return latencyPs;
    this.error('bad-delay', at, 'the delay of a link is not a time', {
      got: word,
      wanted: `a time with a unit, such as 0.0005ms or 500ns (0 to ${maxTimePs} ps)`,
      ...unitHint(word, 'ms', parseTimePs),
    });
    return null;
  }

  private readErrorRate(word: string, at: Position): number | null {
    if (isNumber(word, longestTopologyWord) && Number(word) <= 1) return Number(word);
    this.error('bad-error-rate', at, 'the error rate of a link is not a probability', {
      got: word,
      wanted: 'a number from 0 to 1: the share of packets that the link loses',
    });
    return null;
  }
}
