import { expect, test } from 'vitest';
import { CommandError, type CommandOutcome, DIES_WITH_US, NO_OUTPUT } from './command.ts';
import { countedCommands } from './counted-commands.ts';

async function counted(outcome?: CommandOutcome, argv = ['/usr/sbin/lvs', '--units', 'b']) {
  const told: unknown[] = [];
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

test('names the program itself where another one starts it', async () => {
  expect(await counted(undefined, [...DIES_WITH_US, 'mkfs.ext4', '/dev/a'])).toEqual([0, ['mkfs.ext4', 'done']]);
});
