// `loss.places` and `loss.file` -> what the loss models of a run are made from besides their settings.
// Invariant: every place names ports of the fabric; a file that is read belongs to the model that is chosen.

import { type LossPlan, noLossPlan } from '../backends/packet/loss/loss-plan.js';
import { packetSettings } from '../backends/packet/settings.js';
import { type Diagnostics, wholeFile } from '../base/diagnostics.js';
import { HostFileError } from '../base/host.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { NodeNames } from '../fabric/node-names.js';
import { readLossPattern, readSequenceLosses, readTimeLosses } from '../formats/loss-files.js';
import { linksNamed, linksOfSwitch, type Target } from './failure-targets.js';
import type { InputFiles } from './input-files.js';
import { errorAt, type LocatedMap, nodeAt, type Path, placeOf, pathText, warningAt } from './located.js';
import { nodeNameDetail } from './node-references.js';
import { type Planned, reportFile } from './plan-fabric.js';
import type { Scenario } from './read-scenario.js';
import { groupAt, valueAt, wordAt } from './resolve.js';
import { lossPlaceSettings, lossPlaceTargets } from './loss-schema.js';

/** Loss models that take what a file names. */
const listedLossModels: ReadonlySet<string> = new Set(['sequence', 'time', 'trace']);

/** Longest pattern that is read, in bytes. */
const longestPattern = 200_000_000;

/** Resolves them. @returns null after at least one error */
export async function planLosses(
  scenario: Scenario,
  fabric: Fabric,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<Planned<LossPlan> | null> {
  const { root, faulty } = scenario;
  if (faulty.has('loss')) return null;
  const errorsBefore = diagnostics.errorCount;
  const { model, rate } = groupAt(root, ['loss'], scenario.form.groups['loss'] ?? packetSettings.loss);
  const isListed = listedLossModels.has(model as string);
  const resolved: Record<string, unknown> = {};
  const rates = placesOf(root, fabric, isListed ? 1 : (rate as number), resolved, diagnostics);
  const named = wordAt(root, ['loss', 'file']);
  let plan: LossPlan = { ...noLossPlan, rates };
  if (named !== undefined) resolved['file'] = named;
  if (isListed && named === undefined)
    errorAt(diagnostics, 'loss-file', placeOf(root, ['loss', 'model']), `loss.model ${String(model)} needs loss.file`, {
      wanted: 'the file that names the losses',
    });
  else if (isListed && diagnostics.errorCount === errorsBefore)
    plan = (await readFile(scenario, fabric, files, model as string, plan, diagnostics)) ?? plan;
  return diagnostics.errorCount > errorsBefore ? null : { value: plan, resolved };
}

/** Losses that a file names of flows that the traffic does not have take nothing, which is said. @param flows of it */
export function warnOfUnknownFlows(
  root: LocatedMap,
  { sequences, times }: LossPlan,
  flows: number,
  diagnostics: Diagnostics,
): void {
  const unknown = [...new Set([...sequences, ...times].map(({ flow }) => flow).filter((flow) => flow >= flows))];
  if (unknown.length === 0) return;
  const path = ['loss', 'file'];
  const named = unknown.slice(0, 4).join(', ');
  warningAt(
    diagnostics,
    'loss-flow',
    placeOf(root, path),
    `loss.file names ${unknown.length === 1 ? 'a flow' : `${unknown.length} flows`} that nobody sends: their losses take nothing`,
    {
      got: `${unknown.length === 1 ? 'flow' : 'flows'} ${named}${unknown.length > 4 ? ', …' : ''}`,
      wanted: `flows 0 to ${flows - 1}, by their numbers in its file or list`,
      path: pathText(path),
    },
  );
}

/** Share of lost packets by port; null: no places are given. */
function placesOf(
  root: LocatedMap,
  fabric: Fabric,
  rate: number,
  resolved: Record<string, unknown>,
  diagnostics: Diagnostics,
): Float64Array | null {
  const list = nodeAt(root, ['loss', 'places']);
  if (list?.kind !== 'list') return null;
  const rates = new Float64Array(fabric.portCount);
  const names = new NodeNames(fabric);
  const lines: Record<string, unknown>[] = [];
  for (let i = 0; i < list.items.length && !diagnostics.full; i++) {
    const path = ['loss', 'places', i];
    const own = nodeAt(root, [...path, 'rate']) !== undefined;
    const share = own ? valueAt(root, [...path, 'rate'], lossPlaceSettings.rate) : rate;
    const line: Record<string, unknown> = own ? { rate: share } : {};
    for (const port of portsOf(root, path, fabric, names, line, diagnostics)) rates[port] = share;
    lines.push(line);
  }
  resolved['places'] = lines;
  return rates;
}

/** The ports of a place: those by which packets come in. */
function portsOf(
  root: LocatedMap,
  path: Path,
  fabric: Fabric,
  names: NodeNames,
  line: Record<string, unknown>,
  diagnostics: Diagnostics,
): number[] {
  const targets = lossPlaceTargets
    .map(({ name }) => name)
    .filter((name) => nodeAt(root, [...path, name]) !== undefined);
  const [name] = targets;
  if (name === undefined || targets.length > 1) {
    errorAt(
      diagnostics,
      'loss-place',
      placeOf(root, path),
      name === undefined ? 'the place names no switch, port or link' : `the place names ${targets.join(' and ')}`,
      { wanted: `one of ${lossPlaceTargets.map((target) => target.name).join(', ')}` },
    );
    return [];
  }
  const at = [...path, name];
  const written = nodeAt(root, at);
  const text = written?.kind === 'scalar' ? String(written.value) : '';
  line[name] = text;
  const node = nodeOf(names, name === 'switch' ? text : text.split(':')[0]!);
  const found: Target =
    name === 'switch' ? linksOfSwitch(fabric, names, node ?? fabric.nodeCount) : linksNamed(fabric, names, text);
  if (!('links' in found)) {
    const { message = `${name} names nothing in the fabric` } = found;
    errorAt(diagnostics, 'loss-place', placeOf(root, at), message, { ...nodeNameDetail(found), got: text });
    return [];
  }
  const ports = Array.from(found.links).flatMap((link) => [
    fabric.linkPorts[2 * link]!,
    fabric.linkPorts[2 * link + 1]!,
  ]);
  if (name === 'link') return ports;
  // the ends of the links that the node has: of a switch all, of a port one
  const own = ports.filter((port) => fabric.portNode[port] === node);
  if (name === 'switch' || (own.length === 1 && text.includes(':'))) return own;
  errorAt(diagnostics, 'loss-place', placeOf(root, at), 'port names no port', {
    got: text,
    wanted: 'a node and its interface, such as leaf[2]:3 or 16:3',
  });
  return [];
}

function nodeOf(names: NodeNames, text: string): number | null {
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text);
  const found = names.find(text.trim());
  return 'node' in found ? found.node : null;
}

/** What the file of a model says; null after an error. */
async function readFile(
  { root }: Scenario,
  fabric: Fabric,
  files: InputFiles,
  model: string,
  plan: LossPlan,
  diagnostics: Diagnostics,
): Promise<LossPlan | null> {
  const named = wordAt(root, ['loss', 'file'])!;
  const path = files.resolve(named);
  try {
    if (model === 'trace') {
      const bytes = await bytesOf(files, named, path, diagnostics);
      return bytes === null ? null : { ...plan, pattern: readLossPattern(bytes, path, diagnostics) };
    }
    const text = await files.readText('losses', named);
    if (model === 'sequence') {
      const sequences = readSequenceLosses(text, path, diagnostics);
      return { ...plan, sequences: sequences.filter((own) => isSwitch(fabric, own, path, diagnostics)).map(atNode) };
    }
    const times = readTimeLosses(text, path, diagnostics);
    return { ...plan, times: times.filter((own) => isSwitch(fabric, own, path, diagnostics)).map(atNode) };
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    reportFile(root, ['loss', 'file'], 'file of losses', error, diagnostics);
    return null;
  }
}

function atNode<Own extends { readonly switch: number }>(own: Own): Own & { readonly node: number } {
  return { ...own, node: own.switch };
}

function isSwitch(
  fabric: Fabric,
  { switch: node, source, line }: { readonly switch: number; readonly source: number; readonly line: number },
  file: string,
  diagnostics: Diagnostics,
): boolean {
  const isFound = node < fabric.nodeCount && fabric.nodeKind[node] === NodeKind.switch;
  if (!isFound)
    diagnostics.error('loss-file', file, { line, column: 1 }, `node ${node} is no switch of the fabric`, {
      wanted: 'the number of a switch',
    });
  const isHost = source < fabric.nodeCount && fabric.nodeKind[source] === NodeKind.host;
  if (!isHost)
    diagnostics.error('loss-file', file, { line, column: 1 }, `node ${source} is no host of the fabric`, {
      wanted: 'the number of the sending host',
    });
  return isFound && isHost;
}

async function bytesOf(
  files: InputFiles,
  named: string,
  path: string,
  diagnostics: Diagnostics,
): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of files.readBytes('losses', named)) {
    pieces.push(piece.slice());
    length += piece.length;
    if (length > longestPattern) {
      diagnostics.error('loss-file', path, wholeFile, 'the pattern is too long', {
        wanted: `at most ${longestPattern} bytes`,
      });
      return null;
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
