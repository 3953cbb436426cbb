// Tools beside the simulation, each loaded when somebody opens it.

import { signal } from '@preact/signals';
import type { ComponentType, VNode } from 'preact';

const tools: readonly {
  readonly name: string;
  readonly title: string;
  readonly question: string;
  readonly page: string;
  readonly load: () => Promise<ComponentType>;
}[] = [
  {
    name: 'sfc',
    title: 'Source flow control',
    question: 'Which thresholds and which pause keep PFC quiet and the link busy?',
    page: 'source-flow-control',
    load: async () => (await import('./tools/sfc-panel.js')).SfcPanel,
  },
  {
    name: 'collective',
    title: 'Collectives',
    question: 'What would nccl-tests measure, and what did it measure?',
    page: 'collectives',
    load: async () => (await import('./tools/collective-panel.js')).CollectivePanel,
  },
  {
    name: 'routes',
    title: 'Routes',
    question: 'How good can static routes be, and how soon are they found?',
    page: 'static-routes',
    load: async () => (await import('./tools/routes-panel.js')).RoutesPanel,
  },
  {
    name: 'matrix',
    title: 'Reconstruction',
    question: 'Who sent how much to whom, when only ports were counted?',
    page: 'reconstruction',
    load: async () => (await import('./tools/matrix-panel.js')).MatrixPanel,
  },
];
const opened = signal<string | null>(null);
const panels = signal<Readonly<Record<string, ComponentType>>>({});

async function toggle(name: string): Promise<void> {
  if (opened.value === name) {
    opened.value = null;
    return;
  }
  opened.value = name;
  if (panels.value[name] !== undefined) return;
  const Panel = await tools.find((own) => own.name === name)!.load();
  panels.value = { ...panels.value, [name]: Panel };
}

/** The tools. @param hasPages whether the documents lie beside the application */
export function Toolbox({ hasPages }: { readonly hasPages: boolean }): VNode {
  const found = tools.find(({ name }) => name === opened.value);
  const Panel = found === undefined ? undefined : panels.value[found.name];
  return (
    <section class="card toolbox" aria-label="tools" data-testid="tools">
      <h2>Tools</h2>
      <div class="actions">
        {tools.map(({ name, title }) => (
          <button aria-expanded={opened.value === name} onClick={() => void toggle(name)}>
            {title}
          </button>
        ))}
      </div>
      {found === undefined ? null : (
        <>
          <p>
            {found.question} {hasPages ? <a href={`docs/models/${found.page}.html`}>How it is computed</a> : null}
          </p>
          {Panel === undefined ? <p class="faint">Loading …</p> : <Panel />}
        </>
      )}
    </section>
  );
}
