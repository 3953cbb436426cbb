// What an editor offers and explains: at every key of the examples the setting that stands there, and nothing that the reader
// of scenarios refuses.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isMap, isPair, isScalar, parseDocument, visit } from 'yaml';
import { hintsAt, settingAt } from '#weft/app/view/scenario-hints.js';
import { scenarioPlace } from '#weft/app/view/scenario-place.js';
import { RandomStream } from '../../src/base/random.js';
import { scenarioJsonSchema } from '../../src/scenario/json-schema.js';
import { seed } from '../support/seed.js';

const root = fileURLToPath(new URL('../../examples/', import.meta.url));
const schema = scenarioJsonSchema();

function scenarios(): { name: string; text: string }[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))
    .filter(({ text }) => /^fabric:/m.test(text) && /^(traffic|workload|jobs|inference):/m.test(text));
}

/** Names that are offered where `|` stands. */
function offered(text: string): string[] {
  const at = text.indexOf('|');
  return hintsAt(schema, scenarioPlace(text.replace('|', ''), at)).map(({ name }) => name);
}

describe(`hints (WEFT_SEED=${seed})`, () => {
  it.each(scenarios().map(({ name, text }) => [name, text]))('know every setting of %s', (_name, text) => {
    const document = parseDocument(text);
    const unknown: string[] = [];
    let seen = 0;
    visit(document, {
      Pair: (_key, pair, path) => {
        if (!isScalar(pair.key) || pair.key.range === null || pair.key.range === undefined) return;
        const key = String(pair.key.value);
        const keys = path.filter(isPair).map(({ key: own }) => String(own));
        // settings of an anchor or of free form have no place of their own
        if (!isMap(path.at(-1)) || keys.includes('layers')) return;
        seen++;
        const place = scenarioPlace(text, pair.key.range[0]);
        const found = place.steps.flatMap(({ key: own }) => own ?? []);
        const hint = settingAt(schema, place, key);
        if (found.join('.') !== keys.join('.') || hint === null)
          unknown.push(`${[...keys, key].join('.')} at ${found.join('.')}: ${hint === null ? 'no setting' : 'found'}`);
      },
    });
    expect(seen).toBeGreaterThan(3);
    expect(unknown).toEqual([]);
  });

  it('are the settings of the form that is meant, but those that are there', () => {
    const names = offered('fabric: { generate: leaf-spine, leaves: 4, | }\n');
    expect(names).toContain('spines');
    expect(names).not.toContain('leaves');
    expect(names).not.toContain('nicsPerAsw');
    expect(offered('fabric:\n  generate: fat-tree\n  |\n')).toContain('k');
    expect(offered('traffic:\n  transfers:\n    - source: 1\n      |\n')).toContain('destination');
    expect(offered('seed: 1\n|\nbackend: fluid\n')).toEqual(expect.arrayContaining(['fabric', 'switch', 'pfc']));
  });

  it('are values where a value stands', () => {
    expect(offered('fabric: { generate: | }\n')).toEqual(expect.arrayContaining(['fat-tree', 'leaf-spine']));
    expect(offered('backend: |\n')).toContain('fluid');
    expect(offered('switch:\n  trimming: |\n')).toEqual(['true', 'false']);
    expect(offered('switch:\n  buffer: |\n')).toContain('32MiB');
  });

  it('have an answer for any text and any place', () => {
    const random = new RandomStream(seed, 'hints');
    const pieces = [
      'fabric',
      ':',
      ' ',
      '\n',
      '  ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      ',',
      '"',
      "'",
      '#',
      'switch',
      'é',
      '\t',
      'generate: fat-tree',
    ];
    for (let i = 0; i < 3000; i++) {
      const text = Array.from(
        { length: 1 + Math.floor(30 * random.nextFraction()) },
        () => pieces[Math.floor(pieces.length * random.nextFraction())],
      ).join('');
      const at = Math.floor((text.length + 1) * random.nextFraction());
      const place = scenarioPlace(text, at);
      expect(place.from).toBeLessThanOrEqual(at);
      expect(Array.isArray(hintsAt(schema, place))).toBe(true);
    }
  });
});
