import { execFile } from 'node:child_process';
import { mkdir, open, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HoldfastError } from '../errors.js';
import type { Store } from '../types.js';
import { parsed } from './memory.js';

const LOCK = 'lock';
const BATCH = 'batch.json';
const held = new Set<string>();

/**
 * A store in a directory, a file a key, for Node. Each write is atomic by `rename`; several keys together go through a
 * file `batch.json`, which is carried out again should the process die meanwhile. What was written survives the death
 * of the process; the loss of power only as far as the file system does. One process a directory: another one gets
 * {@link HoldfastError} `storage_in_use` while the first one lives.
 */
export function fileStore(directory: string): Store {
  let opening: Promise<void> | null = null;
  const ready = (): Promise<void> =>
    (opening ??= start(directory).catch((error: unknown) => {
      opening = null;
      throw error;
    }));
  const path = (key: string): string => join(directory, fileOf(key));
  return {
    get: async (key) => {
      await ready();
      const text = await readOrNull(path(key));
      return text === null ? undefined : parsed(text);
    },
    set: async (entries) => {
      await ready();
      const rows = Object.entries(entries);
      if (rows.length > 1) await replace(join(directory, BATCH), JSON.stringify(entries));
      for (const [key, value] of rows) await replace(path(key), JSON.stringify(value));
      if (rows.length > 1) await rm(join(directory, BATCH), { force: true });
    },
    delete: async (keys) => {
      await ready();
      for (const key of keys) await rm(path(key), { force: true });
    },
    keys: async (prefix) => {
      await ready();
      const names = await readdir(directory);
      return names.map(keyOf).filter((key): key is string => key?.startsWith(prefix) === true);
    },
    close: async () => {
      if (!opening) return;
      await opening;
      opening = null;
      await unlock(directory);
    },
  };
}

/** A key as a file's name: percent-encoded, since keys have slashes. */
function fileOf(key: string): string {
  return `${encodeURIComponent(key)}.json`;
}

function keyOf(name: string): string | null {
  if (!name.endsWith('.json') || name === BATCH) return null;
  try {
    return decodeURIComponent(name.slice(0, -'.json'.length));
  } catch {
    return null; // not one of ours
  }
}

async function start(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await lock(directory);
  try {
    await finish(directory);
  } catch (error) {
    await unlock(directory); // or this process itself could not try again
    throw error;
  }
}

/** Carries out what a process that ended had begun to write; a batch that is none was not whole yet. */
async function finish(directory: string): Promise<void> {
  const batch = await readOrNull(join(directory, BATCH));
  if (batch === null) return;
  for (const [key, value] of Object.entries(rowsOf(batch))) {
    await replace(join(directory, fileOf(key)), JSON.stringify(value));
  }
  await unlink(join(directory, BATCH));
}

function rowsOf(batch: string): object {
  try {
    return Object(JSON.parse(batch)) as object;
  } catch {
    return {};
  }
}

async function unlock(directory: string): Promise<void> {
  held.delete(directory);
  await rm(join(directory, LOCK), { force: true });
}

async function lock(directory: string): Promise<void> {
  const file = join(directory, LOCK);
  if (held.has(directory)) throw inUse(directory, process.pid);
  held.add(directory); // before the first wait, for a second store of this process
  try {
    const [pid, began] = ((await readOrNull(file)) ?? '').split(' ');
    const owner = Number(pid);
    if (owner && owner !== process.pid && (await lives(owner, began))) throw inUse(directory, owner);
    await rm(file, { force: true });
    const handle = await open(file, 'wx');
    await handle.writeFile(`${process.pid} ${await beginOf(process.pid)}`);
    await handle.close();
  } catch (error) {
    held.delete(directory);
    throw error;
  }
}

function inUse(directory: string, pid: number): HoldfastError {
  return new HoldfastError('storage_in_use', `${directory} is in use by process ${pid}: give each its own directory`);
}

/** The process of this number lives, and is the one that began then, as far as this platform tells. */
async function lives(pid: number, began: string | undefined): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = began ? await beginOf(pid) : '';
  return !now || now === began;
}

/**
 * When a process began, as a word that tells it from others that had or will have its number; empty where nobody knows, as
 * on Windows: then a number that is given again keeps the directory until that process ends.
 */
async function beginOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}@${boot.trim()}`; // the name before may have spaces
  } catch {
    // no Linux
    return new Promise((resolve) => {
      execFile('ps', ['-o', 'lstart=', '-p', String(pid)], (error, out) => {
        resolve(error ? '' : out.trim().replace(/\s+/g, '_'));
      });
    });
  }
}

async function replace(file: string, text: string): Promise<void> {
  await writeFile(`${file}.tmp`, text);
  await rename(`${file}.tmp`, file);
}

async function readOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
