// The program of the documents' pages: search, and light or dark.

import { render, type VNode } from 'preact';
import { changeLook, isDark } from '../app/looks.js';
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
