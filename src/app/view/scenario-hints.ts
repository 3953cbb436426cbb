// What may be written at a place of a scenario, and what a setting there is: by its JSON Schema, the one that `weft schema`
// prints. For editors that complete and explain.
// Invariant: of forms of which one is meant (a fabric by its `generate`) those are left out that what stands beside rules out.

import type { PlaceStep, ScenarioPlace } from './scenario-place.js';

/** A JSON Schema, as an object. */
export type Schema = Readonly<Record<string, unknown>>;

/** A setting or a value that may be written. */
export interface Hint {
  readonly name: string;
  readonly description: string;
  /** null: it has none */
  readonly defaultText: string | null;
  /** whether settings follow below it */
  readonly isBlock: boolean;
}

/** What may be written at a place: settings, or values of the setting there. */
export function hintsAt(schema: Schema, { steps, beside, key }: ScenarioPlace): Hint[] {
  if (key !== null) return valuesOf(nodesAt(schema, [...steps, { key, beside }]));
  const found = new Map<string, Hint>();
  for (const node of meant(nodesAt(schema, steps), beside))
    for (const [name, own] of Object.entries(propertiesOf(node)))
      if (beside[name] === undefined && !found.has(name)) found.set(name, hintOf(name, own));
  return found.size > 0 ? [...found.values()] : valuesOf(nodesAt(schema, steps));
}

/** What the setting is that a place has as its key. @returns null: the schema has no such setting */
export function settingAt(schema: Schema, { steps, beside }: ScenarioPlace, key: string): Hint | null {
  const [first] = nodesAt(schema, [...steps, { key, beside }]);
  return first === undefined ? null : hintOf(key, first);
}

function nodesAt(schema: Schema, steps: readonly PlaceStep[]): Schema[] {
  let nodes: Schema[] = [schema];
  for (const { key, beside } of steps)
    nodes = meant(nodes, beside).flatMap((node) => {
      const own = key === null ? node['items'] : propertiesOf(node)[key];
      return isSchema(own) ? [own] : [];
    });
  return nodes;
}

/** The forms of schemas that agree with the values that are there; all, if none does. */
function meant(nodes: readonly Schema[], beside: Readonly<Record<string, string>>): Schema[] {
  const forms = nodes.flatMap(formsOf);
  const agreeing = forms.filter((form) =>
    Object.entries(beside).every(([key, value]) => {
      const own = propertiesOf(form)[key];
      if (own === undefined) return form['additionalProperties'] !== false;
      const values = namesOf(own);
      return values.length === 0 || values.includes(value);
    }),
  );
  return agreeing.length > 0 ? agreeing : forms;
}

function formsOf(node: Schema): Schema[] {
  const choices = node['anyOf'] ?? node['oneOf'];
  if (node['properties'] !== undefined || !Array.isArray(choices)) return [node];
  return choices.filter(isSchema).flatMap(formsOf);
}

function propertiesOf(node: Schema): Readonly<Record<string, Schema>> {
  const own = node['properties'];
  return isSchema(own) ? (own as Readonly<Record<string, Schema>>) : {};
}

/** The words that a value may be. */
function namesOf(node: Schema): string[] {
  if (node['const'] !== undefined) return [String(node['const'])];
  if (Array.isArray(node['enum'])) return node['enum'].map(String);
  return node['type'] === 'boolean' ? ['true', 'false'] : [];
}

function valuesOf(nodes: readonly Schema[]): Hint[] {
  const found = new Map<string, Hint>();
  for (const node of nodes.flatMap(formsOf)) {
    const known = namesOf(node);
    const examples = Array.isArray(node['examples']) ? node['examples'].map(String) : [];
    for (const name of known.length > 0 ? known : [...textsOf(node['default']), ...examples])
      if (!found.has(name))
        found.set(name, { name, description: textOf(node['description']), defaultText: null, isBlock: false });
  }
  return [...found.values()];
}

function hintOf(name: string, node: Schema): Hint {
  const forms = formsOf(node);
  const description = [node, ...forms].map((own) => textOf(own['description'])).find((text) => text !== '') ?? '';
  return {
    name,
    description,
    defaultText: textsOf(node['default'])[0] ?? null,
    isBlock: forms.some((own) => own['properties'] !== undefined || own['items'] !== undefined),
  };
}

function textsOf(value: unknown): string[] {
  return value === undefined ? [] : [typeof value === 'string' ? value : JSON.stringify(value)];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
