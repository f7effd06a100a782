// The start page: which edges run, and what the pages lack, if anything.
import * as library from './holdfast-client.js';
import { el, usable, watchStatus } from './dev.js';

const facts = document.getElementById('facts');
let told = false;

watchStatus((now) => {
  if (now === null) {
    facts.replaceChildren('No edge answers. Is ./holdfast dev running?');
    return;
  }
  const pills = now.edges.map((edge) =>
    el('span', {}, el('span.pill', { 'data-state': edge.up ? 'up' : 'down' }, edge.id), ' ', el('code', {}, edge.ws)),
  );
  facts.replaceChildren(...pills);
  if (!told) {
    told = true;
    const note = el('div');
    if (!usable(now, library, note)) {
      document.querySelector('.tiles').before(note);
    }
  }
});
