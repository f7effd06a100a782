// What all pages share: the small API of this process under /dev/, and making elements.

/** Tells the process that the page is one of its own; a foreign page cannot set it. */
const HEADERS = { 'X-Holdfast-Dev': '1' };
const ANSWER_MS = 4000;

/** Where the process answers: this page's edge first, the others when that one is down. */
let bases = [location.origin];

/**
 * Asks the process; an edge that does not answer is passed over for the next.
 * Rejects with a sentence when it is refused or when nobody answers.
 */
export async function dev(method, path, body) {
  let silent;
  for (const base of [...bases]) {
    let answer;
    try {
      answer = await fetch(base + path, {
        method,
        headers: body ? { ...HEADERS, 'Content-Type': 'application/json' } : HEADERS,
        body: body ? JSON.stringify(body) : undefined,
        signal: AbortSignal.timeout(ANSWER_MS),
      });
    } catch (e) {
      silent = e;
      continue;
    }
    bases = [base, ...bases.filter((other) => other !== base)];
    const value = await answer.json().catch(() => ({}));
    if (!answer.ok) {
      throw new Error(value.detail ?? `${answer.status} ${answer.statusText}`);
    }
    return value;
  }
  throw new Error(`no edge of this process answers (${silent?.message ?? 'unreachable'})`);
}

/** Asks for the status now and once a second; `heard` gets it, or null when nobody answers. */
export function watchStatus(heard) {
  let last = null;
  const ask = async () => {
    try {
      last = await dev('GET', '/dev/status');
      const others = last.edges.map((edge) => edge.http);
      bases = [...new Set([...bases, ...others])];
      heard(last);
    } catch {
      heard(null);
    }
    setTimeout(ask, document.hidden ? 5000 : 1000);
  };
  ask();
}

/** The status, waited for. */
export async function status() {
  for (;;) {
    try {
      return await dev('GET', '/dev/status');
    } catch {
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

/** An element: `el('button.small', { type: 'button', onclick }, 'text', child)`. */
export function el(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split('.');
  const node = document.createElement(tag);
  if (classes.length > 0) {
    node.className = classes.join(' ');
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) {
      node[name] = value;
    } else if (value === true) {
      node.setAttribute(name, '');
    } else if (value !== false && value !== undefined && value !== null) {
      node.setAttribute(name, value);
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** The same in SVG; attributes only. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Sets text only where it differs, so that screen readers hear changes and nothing else. */
export function say(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

/** `850 ms`, `1.2 s`, `2 min`. */
export function time(ms) {
  if (ms < 1000) {
    return `${Math.round(ms)} ms`;
  }
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Random characters that fit into tags and ids. */
export function random(length) {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => 'abcdefghijkmnpqrstuvwxyz23456789'[byte % 32]).join('');
}

/** Tells why a page cannot work, in its place; true where it can. */
export function usable(now, library, main) {
  let why = null;
  if (library.missing) {
    why =
      'These pages were built without the JavaScript library. Install Node.js 20 or later with npm, then run ' +
      '“touch client-js/package.json” and “./holdfast dev” again.';
  } else if (now.tokens) {
    why =
      'This process asks for tokens (--auth jwt), and the pages have none. Start “./holdfast dev” without it to try them.';
  }
  if (why !== null) {
    main.replaceChildren(el('p.notice', { role: 'alert' }, why));
  }
  return why === null;
}
