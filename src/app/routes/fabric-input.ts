// The fabric that routes are computed for: from texts (ibnetdiscover's output, a topology file) or a family of
// generators, with LIDs and the top level if they are given; recognised as a fat tree.
// Invariant: every mistake is thrown as InputError with its place before anything is computed; what is only odd is a
// warning of the fabric. Formats: docs/formats/infiniband.md.

import { shownName } from '../../fabric/port-identity.js';
import { Diagnostics, InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import { HostFileError, type Host } from '../../base/host.js';
import { unreachablePair } from '../../fabric/connectivity.js';
import { NodeKind, type Fabric } from '../../fabric/fabric.js';
import { failLinks } from '../../fabric/failed-links.js';
import { oneLevel, recogniseFatTree, type FatTree, type NotAFatTree } from '../../fabric/fat-tree.js';
import { fabricFamilies, findFamily, resolveParameters } from '../../fabric/generators/catalogue.js';
import { hostLidCount, maxLid, withColdStartLids, withLmc, type FabricIdentity } from '../../fabric/identity.js';
import { levelIdentity } from '../../fabric/level-identity.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { readGuid2lid, readSwitchList } from '../../formats/guid-files.js';
import { fabricForms } from '../../formats/fabric-file.js';
import { readAnyFabric } from '../../scenario/network/any-fabric.js';
import { nearest } from '../../scenario/suggest.js';
import { readOwnKind, refuseOtherKind, type GivenText, type NamedText } from './file-kinds.js';

/** Which fabric, and what is known of it beside its links. A string names a file, unless it says otherwise. */
export interface FabricRequest {
  /**
   * a file that ibnetdiscover or ibdiagnet printed, a topology file, or the name of a family that needs no parameters
   * (`quartz1`); or the text of such a file; or a family with its parameters, defaults for those left out
   */
  readonly fabric:
    | string
    | GivenText
    | { readonly family: string; readonly parameters?: Readonly<Record<string, unknown>> };
  /** OpenSM's guid2lid: LIDs */
  readonly guid2lid?: string | GivenText;
  /** GUIDs of the switches of the top level: a file with one per line, or a list; without them they are recognised */
  readonly roots?: string | readonly string[];
  /** share (0 to 1) of the links between switches that are taken as failed, drawn by `seed` */
  readonly failedLinks?: number;
  /** of failed links and whatever else is drawn; 1 if left out */
  readonly seed?: number;
  /** LMC of the hosts, 0 to 3: they have 2^lmc LIDs; left out: that of the fabric */
  readonly lmc?: number;
}

/** What is known of a fabric beside its links, as texts. */
interface FabricFacts extends Pick<FabricRequest, 'failedLinks' | 'seed' | 'lmc'> {
  readonly roots?: NamedText;
}

/** A fabric with its name, not yet recognised; no identity for topology files and generated fabrics. */
export interface UnroutedFabric {
  readonly name: string;
  readonly fabric: Fabric;
  readonly identity: FabricIdentity | null;
  /** file that its LIDs are from, if it is not the fabric's own */
  readonly lidFile?: string;
  readonly warnings: readonly Diagnostic[];
}

/** Reads and recognises a fabric. @throws InputError, HostFileError */
export async function loadFabric(host: Host, request: FabricRequest): Promise<RoutedFabric> {
  return recognisedFabric(host, await unroutedFabric(host, request.fabric, request.guid2lid), request);
}

/** Recognises a fabric that was read, with what a request says beside its links. @throws InputError, HostFileError */
export async function recognisedFabric(
  host: Host,
  read: UnroutedFabric,
  { roots, failedLinks, seed, lmc }: Omit<FabricRequest, 'fabric'>,
): Promise<RoutedFabric> {
  if (failedLinks !== undefined && !(failedLinks >= 0 && failedLinks <= 1))
    throw InputError.about('bad-setting', 'failedLinks', 'this is no share', {
      got: String(failedLinks),
      wanted: 'a number from 0 to 1',
    });
  return routedFabric(read, {
    ...(failedLinks === undefined ? {} : { failedLinks }),
    ...(seed === undefined ? {} : { seed }),
    ...(lmc === undefined ? {} : { lmc }),
    ...(roots === undefined ? {} : { roots: await rootList(host, roots) }),
  });
}

async function rootList(host: Host, roots: string | readonly string[]): Promise<NamedText> {
  return typeof roots === 'string'
    ? { text: await host.readText(roots), name: roots }
    : { text: `${roots.join('\n')}\n`, name: 'roots' };
}

/**
 * Recognises a fabric as a fat tree, or as none: any fabric is read, and what needs a tree calls {@link requireTree}.
 * @throws InputError if nothing can be routed on it, or if what is known of it does not fit it
 */
export function routedFabric(given: UnroutedFabric, facts: FabricFacts = {}): RoutedFabric {
  const { name, fabric } = given;
  const diagnostics = new Diagnostics();
  let { identity } = given;
  const roots =
    facts.roots === undefined
      ? []
      : readSwitchList(
          facts.roots.text,
          facts.roots.name,
          identity ?? levelIdentity(fabric, name),
          (node) => fabric.nodeKind[node] !== NodeKind.host,
          diagnostics,
        );
  diagnostics.throwIfErrors();
  const { failedLinks, seed = 1 } = facts;
  // what is left of it is recognised after links failed; names of a generated one come from its levels
  const found = failedLinks === undefined || identity === null ? recognised(fabric, identity, roots, name) : null;
  identity ??= levelIdentity(fabric, name, found!.tree);
  const apart = unreachablePair(fabric);
  if (apart !== null)
    throw InputError.about('unconnected', name, 'the fabric falls into parts that no link joins', {
      got: `no path from ${shownName(identity, apart.from)} to ${shownName(identity, apart.to)}`,
      hint: 'route each part by itself: ibnetdiscover prints the one that it starts in',
    });
  if (facts.lmc !== undefined) {
    const before = identity.lid;
    identity = withLmc(fabric, identity, facts.lmc);
    if (given.identity !== null && identity.lid !== before && before.some((lid) => lid > 0))
      diagnostics.warning(
        'new-lids',
        '--lmc',
        wholeFile,
        'LIDs of the fabric do not fit this LMC: all are given anew',
        {
          hint: 'tables hold GUIDs as well: OpenSM goes by those',
        },
      );
  }
  const without = identity.lid.reduce((count, lid) => count + (lid === 0 ? 1 : 0), 0);
  if (without > 0 && without < fabric.nodeCount)
    diagnostics.warning(
      'missing-lid',
      given.lidFile ?? name,
      wholeFile,
      `${without} of ${fabric.nodeCount} end ports have no LID and are given free ones`,
      { hint: 'tables hold GUIDs as well: OpenSM goes by those' },
    );
  const numbered = withColdStartLids(fabric, identity);
  if (numbered === null)
    throw InputError.about('too-large', name, 'there are not enough LIDs for all end ports', {
      got: `${fabric.hosts.length} hosts of ${hostLidCount(fabric, identity)} LIDs`,
      wanted: `at most ${maxLid} LIDs`,
      hint: 'take a smaller --lmc',
    });
  const warnings = [...given.warnings, ...diagnostics.warnings];
  const whole = { name, fabric, identity: numbered, roots, warnings };
  return failedLinks === undefined ? { ...whole, ...found! } : withFailedLinks(whole, failedLinks, seed);
}

/**
 * A fat tree, or all switches on one level with why it is none. Roots that turn a tree into none are a mistake.
 * @throws InputError
 */
function recognised(
  fabric: Fabric,
  identity: FabricIdentity | null,
  roots: readonly number[],
  name: string,
): { readonly tree: FatTree; readonly noTree: NotAFatTree | null } {
  const { tree, problem } = recogniseFatTree(fabric, roots);
  if (tree !== null) return { tree, noTree: null };
  const flat = oneLevel(fabric);
  if (flat !== null && (roots.length === 0 || recogniseFatTree(fabric).tree === null))
    return { tree: flat, noTree: problem };
  throw noFatTree(problem, identity, name);
}

function noFatTree({ reason, nodes, hint }: NotAFatTree, identity: FabricIdentity | null, name: string): InputError {
  const names = nodes.map((node) => (identity === null ? `node ${node}` : shownName(identity, node)));
  return InputError.about('no-fat-tree', name, `this is no fat tree: ${reason}`, {
    ...(names.length > 0 ? { got: names.join(', ') } : {}),
    hint,
  });
}

/** What needs a fat tree is done with one. @throws InputError that says why the fabric is none */
export function requireTree({ noTree, identity, name }: RoutedFabric): void {
  if (noTree !== null) throw noFatTree(noTree, identity, name);
}

/** The fabric after links between switches have failed. @throws InputError if what is left is no fat tree */
function withFailedLinks(whole: Omit<RoutedFabric, 'tree' | 'noTree'>, share: number, seed: number): RoutedFabric {
  const { fabric, identity, failed, links } = failLinks(whole, share, seed);
  const name = `${whole.name}, ${failed} of ${links} links failed`;
  return { ...whole, name, fabric, identity, ...recognised(fabric, identity, whole.roots, name) };
}

/**
 * A fabric of a family of generators, by name.
 * @param parameters of the family; what is left out is its default
 * @returns null if no family has that name
 * @throws InputError if the parameters do not fit
 */
export function generatedFabric(
  named: string,
  parameters: Readonly<Record<string, unknown>> = {},
): UnroutedFabric | null {
  const family = findFamily(named);
  if (family === null) return null;
  const { values, problems } = resolveParameters(family.family, { ...family.implied, ...parameters });
  if (values === null)
    throw InputError.about('bad-fabric', named, problems[0]!.message, {
      hint: `weft topology generate ${named} --out FILE, with parameters`,
    });
  return { name: named, fabric: family.family.generate(values), identity: null, warnings: [] };
}

/** A fabric by what a request calls it, with the LIDs of a guid2lid. @throws InputError, HostFileError */
export async function unroutedFabric(
  host: Host,
  fabric: FabricRequest['fabric'],
  guid2lid?: FabricRequest['guid2lid'],
): Promise<UnroutedFabric> {
  const read = await fabricOfRequest(host, fabric);
  if (guid2lid === undefined) return read;
  const { name, identity } = read;
  if (identity === null)
    throw InputError.about('unused-option', '--guid2lid', 'this fabric has no GUIDs', {
      got: name,
      wanted: 'a fabric as ibnetdiscover prints it',
    });
  const { text, name: lidFile } = await readOwnKind(host, guid2lid, 'guid2lid');
  const diagnostics = new Diagnostics();
  const renumbered = readGuid2lid(text, lidFile, { fabric: read.fabric, identity }, diagnostics);
  diagnostics.throwIfErrors();
  return { ...read, identity: renumbered, lidFile, warnings: [...read.warnings, ...diagnostics.warnings] };
}

async function fabricOfRequest(host: Host, fabric: FabricRequest['fabric']): Promise<UnroutedFabric> {
  if (typeof fabric === 'string') return generatedFabric(fabric) ?? fabricOfText(host, await fabricFile(host, fabric));
  if ('text' in fabric) return fabricOfText(host, { text: fabric.text, name: fabric.name ?? 'fabric' });
  const made = generatedFabric(fabric.family, fabric.parameters);
  if (made !== null) return made;
  throw InputError.about('unknown-fabric', 'fabric', 'no family of fabrics has this name', {
    got: fabric.family,
    wanted: 'fat-tree, leaf-spine, quartz1 or another family of weft topology list',
  });
}

/** The text of a file of that name; if there is none, perhaps a family was meant. */
async function fabricFile(host: Host, name: string): Promise<NamedText> {
  try {
    return { text: await host.readText(name), name };
  } catch (error) {
    const families = fabricFamilies.flatMap((family) => [[family.name], Object.keys(family.otherNames)]);
    const near = nearest(name, families.flat());
    if (near !== null && error instanceof HostFileError && error.reason === 'missing')
      throw InputError.about('unknown-fabric', name, 'no such file', { hint: `did you mean ${near}?` });
    if (!(error instanceof HostFileError) || !['missing', 'directory'].includes(error.reason)) throw error;
    const why = error.message.replace(`${error.path}: `, '');
    throw InputError.about(`file-${error.reason}`, name, `the fabric cannot be read: ${why}`, {
      wanted: `${fabricForms}, or the name of a family (weft topology list)`,
    });
  }
}

/** A fabric from a text of any form, or the scenario that has it, with what is odd about it. @throws InputError */
async function fabricOfText(host: Host, { text, name }: NamedText): Promise<UnroutedFabric> {
  const diagnostics = new Diagnostics();
  if (!/\.ya?ml$/i.test(name)) refuseOtherKind(text, name, 'fabric');
  const read = await readAnyFabric(text, name, host, diagnostics);
  diagnostics.throwIfErrors();
  return { name, ...read!, warnings: diagnostics.warnings };
}
