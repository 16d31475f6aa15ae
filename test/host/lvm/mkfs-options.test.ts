/** The table of what is allowed, against the real mkfs: it knows every option, and what it makes is what was asked for. */
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { realHost } from '../../../src/kit/host/host.ts';
import { FILE_SYSTEMS, type FileSystem } from '../../../src/lvm/contract.ts';
import { ALLOWED, type Allowed, type Value } from '../../../src/lvm/options/allowed.ts';
import { readMkfsOptions } from '../../../src/lvm/options/mkfs.ts';

const MIB = 2 ** 20;
const host = realHost({ clock: systemClock });

/** What mkfs takes only together with something else, or only in a certain size. */
const TOGETHER: Readonly<Record<string, string>> = {
  '-I 4096': '-I 4096 -b 4096',
  '-E resize': '-E resize=4g',
  '-E encoding_flags': '-E encoding=utf8,encoding_flags=strict',
  '-d agcount': '-d agcount=2',
  '-d agsize': '-d agsize=256m',
  '-d su': '-d su=64k,sw=2',
  '-d sw': '-d su=64k,sw=2',
  '-d sunit': '-d sunit=128,swidth=256',
  '-d swidth': '-d sunit=128,swidth=256',
  '-i perblock': '-i perblock=8',
  '-l size': '-l size=64m',
};

const exampleOf = (value: Value): string => {
  switch (value.is) {
    case 'number':
      return `${Math.max(value.from, Math.min(value.to, 8))}`;
    case 'size':
      return '64k';
    case 'word':
      return value.words.at(-1) ?? '';
    case 'label':
      return 'pv-'.padEnd(value.longest, 'x');
    case 'owner':
      return '1000:1000';
    default:
      return '';
  }
};

/** One text for each option, each setting of it, and each feature of which old versions know. */
function examplesOf({ name, value }: Allowed): string[] {
  if (value.is === 'none') return [name];
  if (value.is === 'features')
    return [`${name} ${Object.keys(value.features).find((each) => each !== 'block-group-tree')}`];
  if (value.is !== 'settings') return [`${name} ${exampleOf(value)}`];
  return value.settings.map((setting) => {
    const isBare = setting.value.is === 'none';
    return isBare ? `${name} ${setting.name}` : `${name} ${setting.name}=${exampleOf(setting.value)}`;
  });
}

const together = (text: string): string => TOGETHER[text] ?? TOGETHER[text.split('=')[0] ?? ''] ?? text;

const cases = FILE_SYSTEMS.flatMap((fsType) =>
  ALLOWED[fsType].mkfs.flatMap(examplesOf).map((text): [FileSystem, string] => [fsType, together(text)]),
);

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mkfs-options-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** What is on a new disk after mkfs, as the node sees it. */
async function made(fsType: FileSystem, text: string): Promise<string> {
  const { args, faults } = readMkfsOptions(fsType, text);
  expect(faults).toEqual([]);
  const disk = join(directory, 'disk');
  await rm(disk, { force: true });
  await writeFile(disk, '');
  await truncate(disk, 2048 * MIB);
  await host.exec([`mkfs.${fsType}`, ...args, disk]);
  const { stdout } = await host.exec(['blkid', '-p', '-o', 'value', '-s', 'TYPE', disk]);
  return stdout.trim();
}

describe('the real mkfs', () => {
  test.each(cases)('of %s knows %s', async (fsType, text) => {
    expect(await made(fsType, text)).toBe(fsType);
  });

  test.each(FILE_SYSTEMS.filter((fsType) => fsType.startsWith('ext')))(
    'makes an %s also with every feature turned off that can be',
    async (fsType) => {
      const value = ALLOWED[fsType].mkfs.find(({ name }) => name === '-O')?.value;
      if (value?.is !== 'features') throw new Error('there are no features');
      const off = Object.entries(value.features).flatMap(([name, how]) => (how === 'on' ? [] : [`^${name}`]));
      expect(await made(fsType, `-O ${off.join(',')}`)).toBe(fsType);
    },
  );
});
