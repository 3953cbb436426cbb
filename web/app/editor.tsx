// The scenario as text, with what is wrong with it where it stands.

import { yaml } from '@codemirror/lang-yaml';
import { syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { effect } from '@preact/signals';
import { basicSetup } from 'codemirror';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Diagnostic } from '#weft/base/diagnostics.js';
import { scenarioCompletion } from './completion.js';
import { diagnostics, engine, lookAhead, runAsked, text } from './state.js';

/** between the last key and a look at what was typed */
const patienceMs = 250;

/** What a diagnostic says, without its place. */
export function diagnosticText({ message, got, wanted, hint }: Diagnostic): string {
  return [
    message,
    ...(got === undefined ? [] : [`found: ${got}`]),
    ...(wanted === undefined ? [] : [`wanted: ${wanted}`]),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ].join('\n');
}

export function Editor(): VNode {
  const home = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer = 0;
    const view = new EditorView({
      parent: home.current!,
      state: EditorState.create({
        doc: text.value,
        extensions: [
          keymap.of([{ key: 'Mod-Enter', run: () => (void runAsked(), true) }]),
          syntaxHighlighting(classHighlighter),
          basicSetup,
          yaml(),
          lintGutter(),
          scenarioCompletion(() => engine.schema()),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'scenario' }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            text.value = update.state.doc.toString();
            clearTimeout(timer);
            timer = setTimeout(() => void lookAhead(), patienceMs);
          }),
        ],
      }),
    });
    // it scrolls, so keys must reach it
    view.scrollDOM.tabIndex = 0;
    const endText = effect(() => {
      const own = text.value;
      if (own === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: own } });
    });
    const endMarks = effect(() => {
      const { doc } = view.state;
      const marks = diagnostics.value
        .filter(({ line }) => line > 0 && line <= doc.lines)
        .map((diagnostic) => {
          const line = doc.line(diagnostic.line);
          const from = Math.min(line.to, line.from + Math.max(0, diagnostic.column - 1));
          return { from, to: line.to, severity: diagnostic.severity, message: diagnosticText(diagnostic) };
        })
        .sort((a, b) => a.from - b.from);
      view.dispatch(setDiagnostics(view.state, marks));
    });
    return () => {
      clearTimeout(timer);
      endText();
      endMarks();
      view.destroy();
    };
  }, []);
  return <div class="editor" data-testid="editor" ref={home} />;
}
