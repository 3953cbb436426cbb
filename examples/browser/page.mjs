// The page: starts the worker and shows what it says.

const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
const state = document.getElementById('state');

worker.addEventListener('message', ({ data: { fraction, run, routes, done, error } }) => {
  if (fraction !== undefined) state.textContent = `simulating: ${Math.round(100 * fraction)} %`;
  if (run !== undefined) show('run', run);
  if (routes !== undefined) show('routes', routes);
  if (done) state.textContent = 'done';
  if (error !== undefined) state.textContent = `failed: ${error}`;
});
worker.addEventListener('error', ({ message }) => {
  state.textContent = `failed: ${message}`;
});

/** Fills a list with names and values. */
function show(id, values) {
  const items = Object.entries(values).flatMap(([name, value]) => [element('dt', name), element('dd', value)]);
  document.getElementById(id).replaceChildren(...items);
}

function element(tag, content) {
  const made = document.createElement(tag);
  made.textContent = content;
  return made;
}
