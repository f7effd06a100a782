// Plays seeds `first` to `last` outside the test runner, whose hooks on promises would take most of the time.
import { calm, step } from './steps.js';
import { World, ready } from './world.js';

const [first, last, verbose] = process.argv.slice(2).map(Number);

async function play(seed: number): Promise<World> {
  const world = new World(seed);
  try {
    await ready();
    world.connect();
    const steps = 100 + Math.floor(world.random() * 300);
    for (let i = 0; i < steps; i++) await step(world);
    await calm(world);
  } catch (error) {
    if (verbose) console.log(world.log.join('\n'));
    const again = `HARNESS_SEED=${seed} npm test -- harness`;
    throw new Error(`seed ${seed}: ${(error as Error).message} (${again})`, { cause: error });
  }
  return world;
}

let [handed, lost, sends, dropped, processes, ends] = [0, 0, 0, 0, 0, 0];
for (let seed = first!; seed <= last!; seed++) {
  const world = await play(seed);
  handed += world.handed.size;
  lost += world.lost.size;
  sends += world.model.accepted.size;
  dropped += world.sends.filter((send) => send.outcome !== 'sent' && send.outcome !== 'crashed').length;
  processes += world.process;
  ends += world.model.losses;
}
console.log(
  `${last! - first! + 1} seeds: ${handed} messages handed over, ${lost} told lost, ` +
    `${sends} sends accepted, ${dropped} dropped, ${processes} processes, ${ends} lost ends`,
);
