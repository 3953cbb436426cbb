// The program of the documents' pages: search, light or dark, and the run of a mechanism's page.

import { render, type VNode } from 'preact';
import { changeLook, isDark } from '../app/looks.js';
import { LiveRun } from './live-run.js';
import { Search } from './search.js';

function Tools(): VNode {
  return (
    <>
      <Search />
      <button onClick={changeLook}>{isDark.value ? 'Light' : 'Dark'}</button>
    </>
  );
}

render(<Tools />, document.getElementById('search')!);

const live = document.getElementById('live');
if (live !== null) {
  live.replaceChildren();
  render(<LiveRun own={JSON.parse(document.getElementById('live-run')!.textContent!)} />, live);
}
