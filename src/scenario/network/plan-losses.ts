// `loss.places` and `loss.file` -> what the loss models of a run are made from besides their settings.
// Invariant: every place names ports of the fabric; a file that is read belongs to the model that is chosen.

import { Section } from '../form/section.js';
import { readNamed } from '../form/named-file.js';
import { type LossPlan, noLossPlan } from '../../backends/packet/loss/loss-plan.js';
import { packetSettings } from '../../backends/packet/settings.js';
import { type Diagnostics, FileProblems, wholeFile } from '../../base/diagnostics.js';
import { type Fabric, NodeKind } from '../../fabric/fabric.js';
import { NodeNames } from '../../fabric/node-names.js';
import { readLossPattern, readSequenceLosses, readTimeLosses } from '../../formats/loss-files.js';
import { linksNamed, linksOfSwitchNamed, type Target } from './failure-targets.js';
import type { InputFiles } from '../input-files.js';
import { nodeNameDetail } from './node-references.js';
import type { Planned } from './plan-fabric.js';
import type { Scenario } from '../form/read-scenario.js';
import { lossPlaceSettings, lossPlaceTargets } from '../form/loss-schema.js';

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
  const block = new Section(root, ['loss'], diagnostics);
  if (faulty.has('loss')) return null;
  const { model, rate } = block.group(scenario.form.groups['loss'] ?? packetSettings.loss);
  const isListed = listedLossModels.has(model as string);
  const resolved: Record<string, unknown> = {};
  const rates = placesOf(block, fabric, isListed ? 1 : (rate as number), resolved);
  const named = block.word('file');
  let plan: LossPlan = { ...noLossPlan, rates };
  if (named !== undefined) resolved['file'] = named;
  if (isListed && named === undefined)
    block.error('model', 'loss-file', `loss.model ${String(model)} needs loss.file`, {
      wanted: 'the file that names the losses',
    });
  else if (isListed && !block.failed)
    plan = (await readFile(block.at('file'), fabric, files, model as string, plan)) ?? plan;
  return block.failed ? null : { value: plan, resolved };
}

/** Losses that a file names of flows that the traffic does not have take nothing, which is said. @param flows of it */
export function warnOfUnknownFlows(block: Section, { sequences, times }: LossPlan, flows: number): void {
  const unknown = [...new Set([...sequences, ...times].map(({ flow }) => flow).filter((flow) => flow >= flows))];
  if (unknown.length === 0) return;
  const named = unknown.slice(0, 4).join(', ');
  block.warning(
    'file',
    'loss-flow',
    `loss.file names ${unknown.length === 1 ? 'a flow' : `${unknown.length} flows`} that nobody sends: their losses take nothing`,
    {
      got: `${unknown.length === 1 ? 'flow' : 'flows'} ${named}${unknown.length > 4 ? ', …' : ''}`,
      wanted: `flows 0 to ${flows - 1}, by their numbers in its file or list`,
      path: block.text('file'),
    },
  );
}

/** Share of lost packets by port; null: no places are given. */
function placesOf(
  block: Section,
  fabric: Fabric,
  rate: number,
  resolved: Record<string, unknown>,
): Float64Array | null {
  const list = block.node('places');
  if (list?.kind !== 'list') return null;
  const rates = new Float64Array(fabric.portCount);
  const names = new NodeNames(fabric);
  const lines: Record<string, unknown>[] = [];
  for (let i = 0; i < list.items.length && !block.full; i++) {
    const place = block.at('places', i);
    const own = place.has('rate');
    const share = own ? place.value('rate', lossPlaceSettings.rate) : rate;
    const line: Record<string, unknown> = own ? { rate: share } : {};
    for (const port of portsOf(place, fabric, names, line)) rates[port] = share;
    lines.push(line);
  }
  resolved['places'] = lines;
  return rates;
}

/** The ports of a place: those by which packets come in. */
function portsOf(block: Section, fabric: Fabric, names: NodeNames, line: Record<string, unknown>): number[] {
  const targets = lossPlaceTargets.map(({ name }) => name).filter((name) => block.has(name));
  const [name] = targets;
  if (name === undefined || targets.length > 1) {
    block.error(
      [],
      'loss-place',
      name === undefined ? 'the place names no switch, port or link' : `the place names ${targets.join(' and ')}`,
      { wanted: `one of ${lossPlaceTargets.map((target) => target.name).join(', ')}` },
    );
    return [];
  }
  const written = block.node(name);
  // GUIDs without quotes are numbers of YAML
  const text = written?.kind !== 'scalar' ? '' : /^0x/i.test(written.text) ? written.text : String(written.value);
  line[name] = text;
  const identified = name === 'port' ? names.findPort(text) : null;
  if (identified !== null && 'node' in identified) return [identified.port];
  const node = nodeOf(names, name === 'switch' ? text : text.split(':')[0]!);
  const found: Target = name === 'switch' ? linksOfSwitchNamed(fabric, names, text) : linksNamed(fabric, names, text);
  if (!('links' in found)) {
    const { message = `${name} names nothing in the fabric` } = found;
    block.error(name, 'loss-place', message, { ...nodeNameDetail(found), got: text });
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
  block.error(name, 'loss-place', 'port names no port', {
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
function readFile(
  block: Section,
  fabric: Fabric,
  files: InputFiles,
  model: string,
  plan: LossPlan,
): Promise<LossPlan | null> {
  const named = block.word()!;
  const problems = new FileProblems(files.resolve(named), block.diagnostics);
  const { file, diagnostics } = problems;
  const ofSwitches = <Own extends SwitchLine>(lines: readonly Own[]): (Own & { readonly node: number })[] =>
    lines.filter((own) => isSwitch(fabric, own, problems)).map(atNode);
  return readNamed(block, 'file of losses', async () => {
    if (model === 'trace') {
      const bytes = await bytesOf(files, named, problems);
      return bytes === null ? null : { ...plan, pattern: readLossPattern(bytes, file, diagnostics) };
    }
    const text = await files.readText('losses', named);
    return model === 'sequence'
      ? { ...plan, sequences: ofSwitches(readSequenceLosses(text, file, diagnostics)) }
      : { ...plan, times: ofSwitches(readTimeLosses(text, file, diagnostics)) };
  });
}

function atNode<Own extends SwitchLine>(own: Own): Own & { readonly node: number } {
  return { ...own, node: own.switch };
}

interface SwitchLine {
  readonly switch: number;
  readonly source: number;
  readonly line: number;
}

function isSwitch(fabric: Fabric, { switch: node, source, line }: SwitchLine, problems: FileProblems): boolean {
  const isFound = node < fabric.nodeCount && fabric.nodeKind[node] === NodeKind.switch;
  if (!isFound)
    problems.error('loss-file', { line, column: 1 }, `node ${node} is no switch of the fabric`, {
      wanted: 'the number of a switch',
    });
  const isHost = source < fabric.nodeCount && fabric.nodeKind[source] === NodeKind.host;
  if (!isHost)
    problems.error('loss-file', { line, column: 1 }, `node ${source} is no host of the fabric`, {
      wanted: 'the number of the sending host',
    });
  return isFound && isHost;
}

async function bytesOf(files: InputFiles, named: string, problems: FileProblems): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of files.readBytes('losses', named)) {
    pieces.push(piece.slice());
    length += piece.length;
    if (length > longestPattern) {
      problems.error('loss-file', wholeFile, 'the pattern is too long', {
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
