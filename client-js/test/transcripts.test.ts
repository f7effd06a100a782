// R-1.x, R-2.x, R-3.x, R-4.x, R-5.x: the dialogues of docs/transcripts that are for clients, line by line.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Player } from './player.js';

const directory = join(process.cwd(), '..', 'docs', 'transcripts');

for (const file of readdirSync(directory).filter((name) => name.endsWith('.jsonl'))) {
  const lines = readFileSync(join(directory, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => JSON.parse(line));
  const head = lines[0];
  if (!head.players.includes('client')) continue;
  test(`transcript ${head.transcript}: ${head.about}`, async () => {
    assert.equal(`${head.transcript}.jsonl`, file);
    const player = new Player(head);
    for (const [i, line] of lines.entries()) {
      if (i === 0 || (line.only && line.only !== 'client')) continue;
      try {
        await player.play(line);
      } catch (error) {
        if (error instanceof Error) error.message = `${file}, line ${i + 1}: ${error.message}`;
        throw error;
      }
    }
    await player.end();
  });
}
