// Where in a scenario somebody writes: the keys that lead there, and what stands beside it. By its text, since what is half
// written is no YAML: indentation of blocks, brackets of what stands in one line.
// Invariant: any text and any position have an answer; where the text makes no sense, it is the place of the last key that does.

/** A key on the way down, null: an item of a list; with the values beside it, by key. */
export interface PlaceStep {
  readonly key: string | null;
  readonly beside: Readonly<Record<string, string>>;
}

export interface ScenarioPlace {
  readonly steps: readonly PlaceStep[];
  /** values of the mapping that is written in, by key */
  readonly beside: Readonly<Record<string, string>>;
  /** of the value that is written; null: a key is */
  readonly key: string | null;
  /** where the word that is written begins */
  readonly from: number;
}

/** An open bracket: where, and the key that it is the value of. */
interface Open {
  readonly bracket: '{' | '[';
  readonly at: number;
}

const keyBefore = /(?:^|[\s{,[-])(?:"([^"]*)"|'([^']*)'|([\w.-]+))\s*:\s*$/;

/** The place at a position of a text. */
export function scenarioPlace(text: string, at: number): ScenarioPlace {
  const open = openBrackets(text, at);
  const word = /[\w.-]*$/.exec(text.slice(0, at))![0];
  const from = at - word.length;
  const outer = open[0] ?? null;
  const block = blockSteps(text, outer === null ? from : outer.at);
  if (outer === null) {
    const line = text.slice(text.lastIndexOf('\n', from - 1) + 1, from);
    const key = keyOf(line);
    return { steps: block.steps, beside: block.beside, key, from };
  }
  const steps = [...block.steps];
  let beside: Readonly<Record<string, string>> = block.beside;
  for (const [i, { bracket, at: begin }] of open.entries()) {
    const line = text.slice(i === 0 ? text.lastIndexOf('\n', begin - 1) + 1 : open[i - 1]!.at + 1, begin);
    const key = keyOf(line);
    if (key !== null) steps.push({ key, beside });
    beside = bracket === '{' ? pairsOf(insideOf(text, begin)) : {};
    // an item of a list is a mapping, or a value
    if (bracket === '[') steps.push({ key: null, beside });
  }
  const inner = open.at(-1)!;
  const key = inner.bracket === '{' ? keyOf(text.slice(inner.at + 1, from)) : null;
  return { steps, beside, key, from };
}

function keyOf(before: string): string | null {
  const found = keyBefore.exec(before);
  return found === null ? null : (found[1] ?? found[2] ?? found[3] ?? null);
}

/** Brackets that are open at a position, the outermost first. */
function openBrackets(text: string, end: number): Open[] {
  const open: Open[] = [];
  let quote = '';
  for (let at = 0; at < end; at++) {
    const own = text[at]!;
    if (quote !== '') {
      if (own === quote || own === '\n') quote = '';
    } else if (own === '#' && (at === 0 || /\s/.test(text[at - 1]!))) {
      const next = text.indexOf('\n', at);
      at = next < 0 ? end : next;
    } else if ((own === '"' || own === "'") && /[\s{[,:]/.test(text[at - 1] ?? ' ')) quote = own;
    else if (own === '{' || own === '[') open.push({ bracket: own, at });
    else if (own === '}' || own === ']') open.pop();
  }
  return open;
}

/** What stands within the bracket that begins at a place, without what stands in brackets of its own. */
function insideOf(text: string, begin: number): string {
  let depth = 0;
  let inside = '';
  for (let at = begin; at < text.length; at++) {
    const own = text[at]!;
    if (own === '{' || own === '[') depth++;
    if (depth === 1 && at > begin && own !== '}' && own !== ']') inside += own;
    if ((own === '}' || own === ']') && --depth === 0) break;
  }
  return inside;
}

function pairsOf(inside: string): Record<string, string> {
  const pairs = inside.split(/[,\n]/).flatMap((part): [string, string][] => {
    const found = /^\s*([\w.-]+)\s*:\s*(.*?)\s*$/.exec(part);
    return found === null ? [] : [[found[1]!, found[2]!]];
  });
  return Object.fromEntries(pairs);
}

/** The keys above a position, by indentation, and what stands beside it. */
function blockSteps(text: string, at: number): { steps: PlaceStep[]; beside: Record<string, string> } {
  const lines = text.split('\n').map(blockLine);
  const own = text.slice(0, at).split('\n').length - 1;
  const written = lines[own]!;
  const steps: PlaceStep[] = [];
  let indent = written.isEmpty ? at - (text.lastIndexOf('\n', at - 1) + 1) : written.indent;
  const beside = besideAt(lines, own, indent);
  // an item that begins in this line: the list is above its dash
  if (written.dash !== null) {
    indent = written.dash;
    steps.unshift({ key: null, beside: {} });
  }
  for (let i = own - 1; i >= 0 && (indent > 0 || steps[0]?.key === null); i--) {
    const line = lines[i]!;
    if (line.isEmpty) continue;
    const isAbove = line.indent < indent || (steps[0]?.key === null && line.dash === null && line.indent <= indent);
    if (!isAbove && !(line.dash !== null && line.dash < indent && line.indent <= indent)) continue;
    if (line.indent < indent || steps[0]?.key === null) {
      if (line.key !== null && line.value === '') {
        steps.unshift({ key: line.key, beside: besideAt(lines, i, line.indent) });
        indent = line.indent;
      } else if (line.indent < indent && line.dash === null) return { steps, beside };
    }
    if (line.dash !== null && line.dash < indent) {
      steps.unshift({ key: null, beside: {} });
      indent = line.dash;
    }
  }
  return { steps, beside };
}

interface BlockLine {
  readonly isEmpty: boolean;
  /** of its key, behind a dash */
  readonly indent: number;
  /** column of the dash of an item; null: it begins none */
  readonly dash: number | null;
  readonly key: string | null;
  readonly value: string;
}

function blockLine(line: string): BlockLine {
  const [, spaces, dash, rest] = /^(\s*)(-\s+)?(.*)$/.exec(line)!;
  const found = /^([\w.-]+)\s*:(?:\s+(.*?))?\s*(?:#.*)?$/.exec(rest!);
  return {
    isEmpty: rest!.trim() === '' || rest!.startsWith('#'),
    indent: spaces!.length + (dash?.length ?? 0),
    dash: dash === undefined ? null : spaces!.length,
    key: found?.[1] ?? null,
    value: found?.[2] ?? '',
  };
}

/** Values of the mapping that a line is of, by key: lines of its indentation, until one that ends it. */
function besideAt(lines: readonly BlockLine[], own: number, indent: number): Record<string, string> {
  const beside: Record<string, string> = {};
  const take = (line: BlockLine): void => {
    if (line.key !== null && line.indent === indent) beside[line.key] = line.value;
  };
  if (lines[own]!.dash === null)
    for (let i = own - 1; i >= 0; i--) {
      const line = lines[i]!;
      if (line.isEmpty) continue;
      if (line.indent < indent) break;
      take(line);
      if (line.dash !== null && line.indent === indent) break;
    }
  for (let i = own + 1; i < lines.length; i++) {
    const line = lines[i]!;
    if (line.isEmpty) continue;
    if (line.indent < indent || (line.dash !== null && line.dash < indent)) break;
    take(line);
  }
  return beside;
}
