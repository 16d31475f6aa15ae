import { describe, expect, it } from 'vitest';
import { CommandError, type CommandOutcome } from '../kit/host/command.ts';
import { GIB, group, lv } from './builders.ts';
import type { Command } from './commands.ts';
import { Creating, type CreatingParts, type Creation, type Promised } from './creating.ts';
import type { LogicalVolume } from './facts.ts';

const creation = (name: string, promise?: Promised): Creation => ({
  command: { argv: ['lvcreate', '--name', name, '--addtag', `tag-${name}`, 'storage_bulk'], options: {} },
  vg: 'storage_bulk',
  name,
  tags: [`tag-${name}`],
  promise,
});

const createAll = (creations: readonly Creation[], parts: CreatingParts) =>
  Promise.all(new Creating(parts).begin(creations));

/** LVM, in whose shell some commands fail, and alone some others. */
function anLvm({
  inShell = [] as string[],
  alone = [] as string[],
  silent = [] as string[],
  shell = {} as { ends?: CommandOutcome },
} = {}) {
  const volumes: LogicalVolume[] = [];
  const ran: string[] = [];
  const make = (line: readonly string[], failing: readonly string[]) => {
    const name = line[line.indexOf('--name') + 1] ?? '';
    if (failing.includes(name)) return false;
    volumes.push(lv({ name, group: 'storage_bulk', tags: [`tag-${name}`] }));
    return true;
  };
  const run = async ({ argv, options }: Command) => {
    const [program = ''] = argv;
    ran.push(program === 'lvm' ? 'lvm' : `lvcreate ${argv[argv.indexOf('--name') + 1]}`);
    if (program !== 'lvm') {
      if (!make(argv, alone)) throw new CommandError(argv, { kind: 'exited', code: 5 });
      return { stdout: '' };
    }
    if (shell.ends) throw new CommandError(argv, shell.ends);
    const before = volumes.length;
    for (const line of `${options.input}`.trim().split('\n')) make(line.split(' '), inShell);
    const said = volumes.slice(before).filter(({ name }) => !silent.includes(name));
    return { stdout: said.map(({ name }) => `lvm> lvcreate …\n  Logical volume "${name}" created.\n`).join('') };
  };
  const look = async () => ({ groups: new Map([['storage_bulk', group({}, ...volumes)]]) });
  return { volumes, ran, parts: { run, look } };
}

const named = (answers: readonly (LogicalVolume | Error)[]) =>
  answers.map((answer) => (answer instanceof Error ? answer.name : answer.name));

describe('new logical volumes', () => {
  it('are made by one process when there are many, and by their own when there is one', async () => {
    const many = anLvm();
    expect(named(await createAll([creation('a'), creation('b')], many.parts))).toEqual(['a', 'b']);
    expect(many.ran).toEqual(['lvm']);
    const one = anLvm();
    expect(named(await createAll([creation('a')], one.parts))).toEqual(['a']);
    expect(one.ran).toEqual(['lvcreate a']);
  });

  it('that the process for all has not made are tried alone, to learn why', async () => {
    const { parts, ran } = anLvm({ inShell: ['b', 'c'], alone: ['c'] });
    const answers = await createAll([creation('a'), creation('b'), creation('c')], parts);
    expect(named(answers)).toEqual(['a', 'b', 'CommandError']);
    expect(ran).toEqual(['lvm', 'lvcreate b', 'lvcreate c']);
  });

  it('that are there although LVM does not say that they were made are not taken for whole', async () => {
    const { parts, ran } = anLvm({ silent: ['b'] });
    expect(named(await createAll([creation('a'), creation('b')], parts))).toEqual(['a', 'Retry']);
    expect(ran).toEqual(['lvm']);
  });

  it('wait in the line of their group for what has to have it alone, and that for them', async () => {
    const { parts, ran } = anLvm();
    const creating = new Creating(parts);
    const [first] = creating.begin([creation('a')]);
    const alone = creating.alone('storage_bulk', async () => ran.push('alone'));
    const last = creating.begin([creation('b'), creation('c')]);
    await Promise.all([first, alone, ...last]);
    expect(ran).toEqual(['lvcreate a', 'alone', 'lvm']);
  });

  it('are not tried one by one in a group that does not answer', async () => {
    const { parts, ran } = anLvm({ shell: { ends: { kind: 'exited', code: 3 } } });
    const run = async (command: Command) => {
      await parts.run(command);
      throw new CommandError(command.argv, { kind: 'timed-out', afterMs: 1, ended: true });
    };
    const answers = await createAll([creation('a'), creation('b'), creation('c')], { ...parts, run });
    expect(named(answers)).toEqual(['CommandError', 'Retry', 'Retry']);
    expect(ran).toEqual(['lvm', 'lvcreate a']);
  });

  it('of the same name with other marks are not taken for what was made', async () => {
    const { parts, volumes } = anLvm({ inShell: ['a'], alone: ['a'] });
    volumes.push(lv({ name: 'a', group: 'storage_bulk', tags: ['of-another'] }));
    expect(named(await createAll([creation('a'), creation('b')], parts))).toEqual(['CommandError', 'b']);
  });

  it('are made one by one where LVM has no shell, or a word could not be written in it', async () => {
    const without = anLvm({ shell: { ends: { kind: 'exited', code: 3 } } });
    expect(named(await createAll([creation('a'), creation('b')], without.parts))).toEqual(['a', 'b']);
    expect(without.ran).toEqual(['lvm', 'lvcreate a', 'lvcreate b']);
    const odd = anLvm();
    const { command } = creation('b');
    const blank = { ...creation('b'), command: { ...command, argv: [...command.argv, 'two words'] } };
    expect(named(await createAll([creation('a'), blank], odd.parts))).toEqual(['a', 'b']);
    expect(odd.ran).toEqual(['lvcreate a', 'lvcreate b']);
  });

  it.each<CommandOutcome>([
    { kind: 'killed', signal: 'SIGKILL' },
    { kind: 'timed-out', afterMs: 1, ended: false },
  ])('are not tried again while the process may still be at it: %o', async (ends) => {
    const { parts, ran } = anLvm({ shell: { ends } });
    expect(named(await createAll([creation('a'), creation('b')], parts))).toEqual(['CommandError', 'CommandError']);
    expect(ran).toEqual(['lvm']);
  });

  it('in one pool come to no more together than one after the other', async () => {
    const { parts, volumes, ran } = anLvm();
    volumes.push(lv({ name: 'old', group: 'storage_bulk', kind: 'thin', pool: 'pool', sizeBytes: 7n * GIB }));
    const promise = { pool: 'pool', bytes: 2n * GIB, atMost: 10n * GIB };
    const elsewhere = { ...promise, pool: 'other' };
    const all = [creation('a', promise), creation('b', promise), creation('c', elsewhere), creation('d')];
    expect(named(await createAll(all, parts))).toEqual(['a', 'Retry', 'c', 'd']);
    expect(ran).toEqual(['lvm']);
  });

  it('in another group do not wait for one that hangs', async () => {
    const { parts } = anLvm();
    const hangs = Promise.withResolvers<never>();
    const run = (command: Command) => (command.argv.at(-1) === 'dead' ? hangs.promise : parts.run(command));
    const creating = new Creating({ ...parts, run });
    const dead = { ...creation('z'), vg: 'dead', command: { argv: ['lvcreate', 'dead'], options: {} } };
    const [, alive = hangs.promise] = creating.begin([dead, creation('a')]);
    expect(named([await alive])).toEqual(['a']);
    expect(named(await Promise.all(creating.begin([creation('b')])))).toEqual(['b']);
  });

  it('that come while others of their group are made are made together by the next process, 64 at most', async () => {
    const { parts, ran } = anLvm();
    const gate = Promise.withResolvers<void>();
    const run = async (command: Command) => {
      await gate.promise;
      return await parts.run(command);
    };
    const creating = new Creating({ ...parts, run });
    const first = creating.begin([creation('first')]);
    const others = Array.from({ length: 66 }, (_, index) => creating.begin([creation(`n${index}`)])).flat();
    gate.resolve();
    expect((await Promise.all([...first, ...others])).every((each) => !(each instanceof Error))).toBe(true);
    expect(ran).toEqual(['lvcreate first', 'lvm', 'lvm']);
  });
});
