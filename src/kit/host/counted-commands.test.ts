import { expect, test } from 'vitest';
import { CommandError, type CommandOutcome, NO_OUTPUT } from './command.ts';
import { countedCommands } from './counted-commands.ts';

async function counted(outcome?: CommandOutcome) {
  const told: unknown[] = [];
  const argv = ['/usr/sbin/lvs', '--units', 'b'];
  const commands = countedCommands(
    {
      exec: async () => {
        if (outcome) throw new CommandError(argv, outcome);
        return { code: 0, ...NO_OUTPUT };
      },
      isInstalled: async () => true,
    },
    (program, end) => told.push([program, end]),
  );
  const ended = await commands.exec(argv).then(
    ({ code }) => code,
    (error) => error.outcome.kind,
  );
  return [ended, ...told];
}

test('tells of a program that is run, and hands on how it ended', async () => {
  expect(await counted()).toEqual([0, ['lvs', 'done']]);
  expect(await counted({ kind: 'exited', code: 5 })).toEqual(['exited', ['lvs', 'failed']]);
  expect(await counted({ kind: 'not-found', searched: [] })).toEqual(['not-found', ['lvs', 'not run']]);
});
