// A browser without playwright, which keeps every page visible: here tabs of one window hide one another.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { args, executablePath } from './chromium.mjs';

/** Starts a browser with an empty profile. */
export async function browse() {
  const profile = mkdtempSync(join(tmpdir(), 'holdfast-browser-'));
  const all = [...args, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
  const child = spawn(executablePath, all, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const socket = new WebSocket(await address(child));
  await once(socket, 'open');
  const errors = [];
  const call = caller(socket, errors);
  return {
    /** What pages logged as errors, and what nobody caught. */
    errors,
    /** Opens the URL in a tab in front. */
    open: async (url) => page(call, url),
    close: async () => {
      await call('Browser.close');
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Where it listens for us. */
async function address(child) {
  let said = '';
  for await (const chunk of child.stderr) {
    said += chunk;
    const found = /DevTools listening on (ws:\S+)/.exec(said);
    if (found) {
      return found[1];
    }
  }
  throw new Error(`${executablePath} does not start:\n${said}`);
}

/** Calls by name, with an answer each. */
function caller(socket, errors) {
  let last = 0;
  const waiting = new Map();
  socket.on('message', (data) => {
    const { id, result, error, method, params } = JSON.parse(data);
    if (method === 'Runtime.exceptionThrown') errors.push(params.exceptionDetails);
    const task = waiting.get(id);
    waiting.delete(id);
    if (error) task?.reject(new Error(error.message));
    else task?.resolve(result);
  });
  return (method, params = {}, sessionId = undefined) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params, sessionId }));
    });
}

async function page(call, url) {
  const { targetId } = await call('Target.createTarget', { url });
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  await call('Runtime.enable', {}, sessionId);
  await call('Target.activateTarget', { targetId });
  return {
    evaluate: async (expression) => {
      const asked = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await call('Runtime.evaluate', asked, sessionId);
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      return result.value;
    },
    /** Its tab comes to the front. */
    show: () => call('Target.activateTarget', { targetId }),
    /** `frozen` or `active`. */
    lifecycle: (state) => call('Page.setWebLifecycleState', { state }, sessionId),
  };
}
