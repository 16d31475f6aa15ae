/** Real LVM still reports what the fixtures say, and what was made is what is read. */
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { deviceNumber } from '../../src/kit/host/device-number.ts';
import { activate, changeTags, remove } from '../../src/lvm/commands.ts';
import type { LogicalVolume, Lvm } from '../../src/lvm/facts.ts';
import { parseReport } from '../../src/lvm/fullreport.ts';
import { decodeTag, encodeTag, LONGEST_TAG, type Owner, ownerOf, tagsOf } from '../../src/lvm/tags.ts';
import { reported, twoDisks, WORLDS, type WorldName } from './lvm-worlds.ts';
import { host, run } from './machine.ts';

describe('what LVM reports', () => {
  it.each(Object.keys(WORLDS) as WorldName[])('is as it was recorded: %s', async (name) => {
    await using disks = await twoDisks();
    const make: (one: string, other: string) => Promise<unknown> = WORLDS[name];
    await make(disks.one, disks.other);
    const lvm = parseReport(await reported());
    const recorded = readFileSync(new URL(`../../src/lvm/fixtures/${name}.txt`, import.meta.url), 'utf8');
    expect(comparable(lvm)).toEqual(comparable(parseReport(recorded)));
    for (const lv of volumesOf(lvm)) if (lv.isActive && lv.kind !== 'thin-pool') await isAsTheKernelSays(lv);
  });
});

it('LVM itself changes nothing in a group that belongs to another machine', async () => {
  await using disks = await twoDisks();
  await WORLDS.foreign(disks.one);
  const [lv] = volumesOf(parseReport(await reported()));
  if (!lv) throw new Error('the volume is not told');
  for (const { argv, options } of [activate([lv]), remove(lv), changeTags([lv], { add: ['a'], remove: [] })])
    await expect(host.exec(argv, options)).rejects.toThrow(/Cannot access VG lab with system ID another-machine/);
});

describe('tags', () => {
  it('hold every character, and come back as they were', async () => {
    await using disks = await twoDisks();
    await run('vgcreate', '--yes', 'lab', disks.one);
    const values = Array.from({ length: 256 }, (_, code) => `x${String.fromCodePoint(code)}x`);
    const tags = [...values, '', '-x', 'été 🐧 #23', 'x'.repeat(LONGEST_TAG - 'holdfast.dev/fsOpts='.length)].map(
      (value) => encodeTag('fsOpts', value),
    );
    await run(
      'lvcreate',
      '--yes',
      '--name',
      'data',
      '--size',
      '4M',
      ...tags.flatMap((tag) => ['--addtag', tag]),
      'lab',
    );
    const [lv] = volumesOf(parseReport(await reported()));
    expect([...(lv?.tags ?? [])].sort()).toEqual([...tags].sort());
    expect(lv?.tags.map((tag) => decodeTag(tag)?.value).sort()).toEqual(
      [...tags].map((tag) => decodeTag(tag)?.value).sort(),
    );
  });

  it('tell the owner of a volume from the moment that it is made', async () => {
    await using disks = await twoDisks();
    await run('vgcreate', '--yes', 'lab', disks.one);
    const owner: Owner = {
      uid: '6c2a1a0e-0f5c-4f0c-9a58-0d3c4a1f7b11',
      pv: 'data-0',
      cluster: 'a1b2',
      state: 'new',
      options: { fsType: 'ext4', mountOpts: 'noexec,noatime', fsOpts: '-m 0 -L été#1', vg: 'lab' },
    };
    const marks = tagsOf(owner).flatMap((tag) => ['--addtag', tag]);
    await run('lvcreate', '--yes', '--name', 'data-0', '--size', '4M', ...marks, 'lab');
    const [lv] = volumesOf(parseReport(await reported()));
    expect(lv && ownerOf(lv)).toEqual(owner);
  });
});

const volumesOf = ({ groups }: Lvm): readonly LogicalVolume[] =>
  [...groups.values()].flatMap(({ volumes }) => [...volumes.values()]);

/** Without what is different each time. */
function comparable({ groups }: Lvm): unknown {
  const sorted = [...groups.values()].map(({ uuid: _, obstacles, volumes, ...group }) => ({
    ...group,
    obstacles: obstacles.map((text) => text.replace(/\w{6}(-\w{4}){5}-\w{6}/, 'UUID')),
    volumes: [...volumes.values()]
      .map(({ uuid: _, device, metadataPercent, ...lv }) => ({ ...lv, hasDevice: device !== undefined }))
      .sort((one, other) => one.name.localeCompare(other.name)),
  }));
  return sorted;
}

async function isAsTheKernelSays({ group, name, device, sizeBytes }: LogicalVolume): Promise<void> {
  const path = `/dev/${group}/${name}`;
  expect(device).toBe(deviceNumber((await stat(path, { bigint: true })).rdev));
  expect(sizeBytes).toBe(BigInt(await run('blockdev', '--getsize64', path)));
}
