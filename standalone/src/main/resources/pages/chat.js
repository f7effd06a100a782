// The chat: two or more users in one window, each with a client and an edge of their own.
import * as library from './holdfast-client.js';
import { dev, status, usable } from './dev.js';
import { panel } from './panel.js';
import { LOBBY } from './phone.js';
import { User } from './user.js';

const NAMES = ['alice', 'bob', 'carol', 'dave'];

const main = document.getElementById('main');
const now = await status();
const present = [];
let addCard;

function add(name) {
  const user = new User(name, now.edges, present.length);
  present.push(user);
  main.append(user.node);
  user.removeCard = addCard(user.peer);
  const names = present.map((one) => one.name);
  present.forEach((one) => one.meet(names));
}

/** New installations, which know nothing of the old ones. */
async function afresh() {
  await Promise.all(present.map((user) => user.peer.client.logout().catch(() => undefined)));
  present.forEach((user) => user.transcript.forget());
  location.reload();
}

function floods() {
  return {
    label: 'Flood',
    sizeLabel: 'How many messages',
    targets: () => [...present.map((user) => user.name), 'lobby'],
    sizes: [
      ['200', '200 messages'],
      ['1000', '1000 messages'],
      ['5000', '5000 messages'],
    ],
    run: (n, target) =>
      dev('POST', '/dev/flood', {
        ...(target === 'lobby' ? { channel: LOBBY } : { user: target }),
        n,
        perSecond: Math.max(100, n / 5),
      }),
    tell: (s) => {
      if (!s.flood) {
        return 'A backend sends many messages at once. Take a user offline first to see them replayed.';
      }
      const { n, accepted, refused, trouble } = s.flood;
      return `${accepted} of ${n} accepted${refused > 0 ? `, ${refused} refused: ${trouble}` : ''}.`;
    },
  };
}

if (usable(now, library, main)) {
  addCard = panel(document.getElementById('panel'), floods());
  add('alice');
  add('bob');
  const more = document.getElementById('add');
  more.onclick = () => {
    add(NAMES[present.length]);
    more.disabled = present.length === NAMES.length;
  };
  document.getElementById('reset').onclick = afresh;
}
