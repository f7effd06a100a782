// R-1.1 to R-1.4, R-2.2, R-4.3, R-4.4, R-5.1 to R-5.3: thousands of random orders of events against a model server.
// HARNESS_SEED=n plays one seed and prints its steps; HARNESS_SEEDS=n plays so many, from HARNESS_FROM on.
import { test } from 'node:test';
import { calm, step } from './steps.js';
import { World, ready } from './world.js';

const one = process.env.HARNESS_SEED;
const first = Number(process.env.HARNESS_FROM ?? 1);
const seeds = Number(process.env.HARNESS_SEEDS ?? 2000);

async function play(seed: number): Promise<World> {
  const world = new World(seed);
  try {
    await ready();
    world.connect();
    const steps = 100 + Math.floor(world.random() * 300);
    for (let i = 0; i < steps; i++) await step(world);
    await calm(world);
  } catch (error) {
    if (one) console.log(world.log.join('\n'));
    throw new Error(`seed ${seed}: ${(error as Error).message} (HARNESS_SEED=${seed} npm test -- harness)`, { cause: error });
  }
  if (one) console.log(world.log.filter((l) => l.startsWith("calm")).join(), world.log.length);
  return world;
}

test(`${one ? `seed ${one}` : `${seeds} seeds`} of random events keep what the client promises`, async (t) => {
  if (one) return void (await play(Number(one)));
  let [handed, lost, sends, dropped, processes] = [0, 0, 0, 0, 0];
  for (let seed = first; seed < first + seeds; seed++) {
    const world = await play(seed);
    handed += world.handed.size;
    lost += world.lost.size;
    sends += world.model.accepted.size;
    dropped += world.sends.filter((send) => send.outcome !== 'sent' && send.outcome !== 'crashed').length;
    processes += world.process;
  }
  t.diagnostic(`${handed} messages handed over, ${lost} told lost, ${sends} sends accepted, ${dropped} dropped, ${processes} processes`);
});
