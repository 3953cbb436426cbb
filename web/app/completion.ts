// Settings and values that the editor offers, and what a setting is when the pointer rests on it: from the schema of scenarios,
// which the worker makes.

import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { hoverTooltip, type Tooltip } from '@codemirror/view';
import { type Hint, hintsAt, type Schema, settingAt } from '#weft/app/view/scenario-hints.js';
import { scenarioPlace } from '#weft/app/view/scenario-place.js';

/** What completes and explains. @param schemaOf scenarios; asked once it is needed */
export function scenarioCompletion(schemaOf: () => Promise<Schema>): Extension {
  const complete = async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const place = scenarioPlace(state.doc.toString(), pos);
    if (!explicit && place.from === pos && place.key === null) return null;
    const options = hintsAt(await schemaOf(), place).map(({ name, description, defaultText, isBlock }) => ({
      label: name,
      type: place.key === null ? 'property' : 'constant',
      detail: defaultText === null ? '' : `default ${defaultText}`,
      info: description,
      apply: place.key === null ? `${name}:${isBlock ? '' : ' '}` : name,
    }));
    return options.length === 0 ? null : { from: place.from, options, validFor: /^[\w.-]*$/ };
  };
  const explain = hoverTooltip(async (view, pos): Promise<Tooltip | null> => {
    const { from, to, text } = view.state.doc.lineAt(pos);
    const word = [...text.matchAll(/([\w.-]+)\s*:/g)].find(
      ({ index, 1: own }) => pos >= from + index && pos <= Math.min(to, from + index + own!.length),
    );
    if (word === undefined) return null;
    const begin = from + word.index;
    const hint = settingAt(await schemaOf(), scenarioPlace(view.state.doc.toString(), begin), word[1]!);
    if (hint === null || hint.description === '') return null;
    return { pos: begin, end: begin + word[1]!.length, above: true, create: () => ({ dom: explanation(hint) }) };
  });
  return [autocompletion({ override: [complete] }), explain];
}

function explanation({ name, description, defaultText }: Hint): HTMLElement {
  const home = document.createElement('div');
  home.className = 'explained';
  const head = document.createElement('strong');
  head.textContent = name;
  home.append(head, `: ${description}${defaultText === null ? '' : ` (default ${defaultText})`}`);
  return home;
}
