// What the tests drive from outside: one client at a time, and everything that it told the page.
import { HoldfastClient } from '/dist/index.js';

/** What the page was told, in order, since it was loaded. */
const seen = { payloads: [], states: [], dropped: [], sent: [], settled: [], telemetry: [] };

/** A socket that never hears that a message was taken. */
class Deaf extends WebSocket {
  set onmessage(heard) {
    super.onmessage = heard && ((event) => event.data.includes('"type":"sent"') || heard(event));
  }
}

/** Makes the client and connects it; `deaf` with a socket as above. */
function start({ deaf, ...options }) {
  const client = new HoldfastClient({ ...options, ...(deaf ? { webSocket: Deaf } : {}) });
  client.on('message', ({ payload }) => void seen.payloads.push(payload));
  client.on('history', ({ messages }) => void seen.payloads.push(...messages.map(({ payload }) => payload)));
  client.on('state', (change) => void seen.states.push(change));
  client.on('dropped', (message) => void seen.dropped.push(message));
  client.on('sent', (message) => void seen.sent.push(message));
  client.on('telemetry', (event) => void seen.telemetry.push(event));
  client.connect();
  window.client = client;
}

/** Sends without waiting; what is refused is an error of the page, unless the account is gone. */
function send(user, payload) {
  window.client.send({ user }, payload).then(
    () => seen.settled.push([payload, 'sent']),
    (error) => {
      if (error.code !== 'logged_out') throw error;
      seen.settled.push([payload, error.code]);
    },
  );
}

/** All that lies in the database of the client, or null where there is none. */
async function rows() {
  const all = await indexedDB.databases();
  if (!all.some(({ name }) => name === 'holdfast')) return null;
  const database = await new Promise((resolve, reject) => {
    const request = indexedDB.open('holdfast');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const table = database.transaction('rows', 'readonly').objectStore('rows');
  const read = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  const [keys, values] = await Promise.all([read(table.getAllKeys()), read(table.getAll())]);
  database.close();
  return Object.fromEntries(keys.map((key, i) => [key, values[i]]));
}

Object.assign(window, { seen, start, send, rows, isReady: true });
