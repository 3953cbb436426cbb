// A fabric from a file of any form that says how it hangs together: SimAI's and HPCC's topology files, htsim's, and what
// ibnetdiscover, ibdiagnet and OpenSM print. The one door for every command that takes a fabric.
// Invariant: what is no fabric is refused by the name of what it is, with the way to what is wanted.

import { FileProblems, wholeFile, type Diagnostics } from '../base/diagnostics.js';
import type { Fabric } from '../fabric/fabric.js';
import type { FabricIdentity } from '../fabric/identity.js';
import { isHtsimTopology, readHtsimTopology } from './htsim-topology.js';
import { isInfinibandFabric, readInfinibandFabric } from './infiniband-fabric.js';
import { linesOf } from './lines.js';
import { readTopology } from './simai-topology.js';

/** What the forms are called in messages. */
export const fabricForms = 'a topology file (SimAI, HPCC, htsim), or what ibnetdiscover prints';

/** A fabric, and who its nodes are on InfiniBand; null where the file does not say it. */
export interface FabricOfFile {
  readonly fabric: Fabric;
  readonly identity: FabricIdentity | null;
}

/** Files that people have at hand when they are asked for a fabric. */
const others: readonly { readonly begins: RegExp; readonly what: string; readonly hint: string }[] = [
  {
    begins: /^(?:osm_ucast_mgr_dump_ucast_routes: )?Switch 0x[0-9a-fA-F]{16}$|^LID {0,8}: Port {0,8}: Hops/,
    what: 'the file is opensm.fdbs, forwarding tables without links',
    hint: 'ibnetdiscover prints the links; tables are read from opensm-lfts.dump, with --tables',
  },
  {
    begins: /^(?:#warn: counter |Error check on lid |#{1,2} ?Summary: \d+ nodes checked)/,
    what: 'the file is what ibcheckerrors or ibqueryerrors prints, counters without links',
    hint: 'ibnetdiscover prints the links; counters are read from ibqueryerrors, with --counters',
  },
  {
    begins: /^SwitchName=/i,
    what: "the file is Slurm's topology.conf, which names switches without their cables",
    hint: 'ibnetdiscover prints cables; weft topology generate makes a fabric of so many switches',
  },
  {
    begins: /^<(?:system|graphs)\b/,
    what: "the file is NCCL's topology or graph (XML), the inside of one server",
    hint: 'weft topology generate makes servers with a fabric: --gpus-per-server, --gpu-type',
  },
  {
    begins: /^(?:\x1b\[4m)?[ \t]{0,9}(?:\x1b\[4m)?GPU0[ \t]+(?:\x1b\[0m)?(?:GPU1|NIC0|mlx|CPU Affinity| X )/,
    what: 'the file is what nvidia-smi topo -m prints, the inside of one server',
    hint: 'weft topology generate makes servers with a fabric: --gpus-per-server, --gpu-type',
  },
  {
    begins: /^(?:topology|npus_count)[ \t]{0,9}:[ \t]{0,9}\[/,
    what: "the file is astra-sim's network (yml), which gives dimensions and no links",
    hint: 'weft topology generate torus, or leaf-spine for its Switch',
  },
  {
    begins: /^(?:LPGROUPS|MODELNET_GRP|PARAMS)\b/,
    what: "the file is CODES' configuration, which names a model of a network",
    hint: 'weft topology generate dragonfly, dragonfly+, fat-tree or torus',
  },
  {
    begins: /^(?:CA '[^']{1,60}'|[ \t]{0,9}CA type: |Infiniband device ')/,
    what: 'the file is what ibstat or ibstatus prints, the ports of one host',
    hint: 'ibnetdiscover prints the whole fabric',
  },
];

/** Lines that tell what a file is. */
const linesLooked = 50;

/**
 * Reads a fabric, whatever form it has.
 * @param file its name, for messages
 * @param diagnostics receives every mistake, and warnings about what is odd
 * @returns null if the file has errors
 */
export function readFabricForm(text: string, file: string, diagnostics: Diagnostics): FabricOfFile | null {
  if (isInfinibandFabric(text)) return readInfinibandFabric(text, file, diagnostics);
  let looked = 0;
  for (const { line, text: own } of linesOf(text.slice(0, 10_000))) {
    if (looked++ === linesLooked) break;
    const other = others.find(({ begins }) => begins.test(own.trimEnd()));
    if (other === undefined) continue;
    new FileProblems(file, diagnostics).error('other-file', { line, column: 1 }, other.what, {
      got: own.trim().slice(0, 60),
      wanted: fabricForms,
      hint: other.hint,
    });
    return null;
  }
  if (text.trim() === '') {
    new FileProblems(file, diagnostics).error('empty-file', wholeFile, 'there is no node in the file', {
      wanted: fabricForms,
    });
    return null;
  }
  // topology files begin with a number; what begins otherwise is more likely a mistake in ibnetdiscover's form
  if (!isHtsimTopology(text) && !/^\uFEFF?(?:\s*#[^\n]*\n|\s*\n)*\s*\d/.test(text.slice(0, 10_000)))
    return readInfinibandFabric(text, file, diagnostics);
  const fabric = (isHtsimTopology(text) ? readHtsimTopology : readTopology)(text, file, diagnostics);
  return fabric === null ? null : { fabric, identity: null };
}
