/**
 * What LVM can find on a node, each made with real LVM. `tools/lab/boot.sh node test/lab/lvm-worlds.ts NAME` writes what LVM reports of one:
 * so the files of src/lvm/fixtures were made.
 */
import { REPORT } from '../../src/lvm/fullreport.ts';
import { aLoopDevice } from '../host/loop-device.ts';
import { host, MIB, run, settled } from './machine.ts';

const DISK_BYTES = 128 * MIB;

/** All that a tag can hold. */
const EVERY_CHARACTER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+.-/=!:&#';

type World = (one: string, other: string) => Promise<unknown>;

const lvcreate = (...argv: string[]) => run('lvcreate', '--yes', ...argv);
const vgcreate = (...argv: string[]) => run('vgcreate', '--yes', '--setautoactivation', 'n', ...argv);

export const WORLDS = {
  empty: async () => {},
  'without-a-group': (one) => run('pvcreate', '--yes', one),
  'without-volumes': (one) => vgcreate('lab', one),
  async plain(one, other) {
    await vgcreate('lab', one, other);
    await lvcreate('--name', 'data-0', '--size', '8M', '--addtag', 'holdfast.dev/uid=1', '--addtag', 'b', 'lab');
    await lvcreate('--name', 'striped', '--size', '8M', '--stripes', '2', 'lab');
    await lvcreate('--name', 'read-only', '--size', '4M', '--permission', 'r', '--zero', 'n', 'lab');
  },
  async inactive(one) {
    await vgcreate('lab', one);
    await lvcreate('--name', 'data', '--size', '8M', 'lab');
    await lvcreate('--name', 'read-only', '--size', '4M', '--permission', 'r', '--zero', 'n', 'lab');
    await run('vgchange', '--activate', 'n', 'lab');
  },
  async thin(one) {
    await aPool(one);
    await lvcreate('--snapshot', '--name', 'snapped', '--permission', 'r', '--setactivationskip', 'n', 'lab/thin');
    await lvcreate('--snapshot', '--name', 'skipped', 'lab/thin');
  },
  async 'thin-without-origin'(one) {
    await aPool(one);
    await lvcreate('--snapshot', '--name', 'snapped', '--setactivationskip', 'n', 'lab/thin');
    await run('lvremove', '--yes', 'lab/thin');
  },
  async 'full-pool'(one) {
    await aPool(one);
    await host.exec(['lvchange', '--errorwhenfull', 'y', 'lab/pool']);
    await host.exec(['dd', 'if=/dev/urandom', 'of=/dev/lab/thin', 'bs=1M', 'oflag=direct'], { successCodes: [0, 1] });
  },
  snapshot: aSnapshot,
  async 'lost-snapshot'(one) {
    await aSnapshot(one);
    await run('dd', 'if=/dev/urandom', 'of=/dev/lab/data', 'bs=1M', 'count=8', 'oflag=direct');
  },
  async raid1(one, other) {
    await vgcreate('lab', one, other);
    await lvcreate('--type', 'raid1', '--mirrors', '1', '--nosync', '--name', 'mirror', '--size', '8M', 'lab');
  },
  async 'missing-disk'(one, other) {
    await vgcreate('lab', one, other);
    await lvcreate('--name', 'there', '--size', '8M', 'lab', one);
    await lvcreate('--name', 'away', '--size', '8M', 'lab', other);
    await lvcreate('--type', 'raid1', '--mirrors', '1', '--nosync', '--name', 'mirror', '--size', '8M', 'lab');
    await run('vgchange', '--activate', 'n', 'lab');
    await run('wipefs', '--all', '--force', other);
  },
  async exported(one) {
    await vgcreate('lab', one);
    await lvcreate('--name', 'data', '--size', '8M', 'lab');
    await run('vgchange', '--activate', 'n', 'lab');
    await run('vgexport', 'lab');
  },
  async foreign(one) {
    await vgcreate('lab', one);
    await lvcreate('--name', 'data', '--size', '8M', 'lab');
    await run('vgchange', '--activate', 'n', 'lab');
    await run('vgchange', '--yes', '--systemid', 'another-machine', 'lab');
  },
  async 'same-name'(one, other) {
    await vgcreate('--devices', one, 'lab', one);
    await lvcreate('--devices', one, '--name', 'first', '--size', '8M', 'lab');
    await run('vgchange', '--devices', one, '--activate', 'n', 'lab');
    await vgcreate('--devices', other, 'lab', other);
    await lvcreate('--devices', other, '--name', 'second', '--size', '8M', 'lab');
  },
  async tags(one) {
    await vgcreate('lab', one);
    await lvcreate('--name', 'tagged', '--size', '4M', '--addtag', EVERY_CHARACTER, '--addtag', 'another', 'lab');
  },
} satisfies Record<string, World>;

export type WorldName = keyof typeof WORLDS;

async function aPool(disk: string): Promise<void> {
  await vgcreate('lab', disk);
  await lvcreate('--type', 'thin-pool', '--name', 'pool', '--size', '16M', 'lab');
  await lvcreate('--type', 'thin', '--thinpool', 'pool', '--name', 'thin', '--virtualsize', '32M', 'lab');
}

async function aSnapshot(disk: string): Promise<void> {
  await vgcreate('lab', disk);
  await lvcreate('--name', 'data', '--size', '8M', 'lab');
  await lvcreate('--snapshot', '--name', 'snapped', '--permission', 'r', '--size', '4M', 'lab/data');
}

export interface Disks extends AsyncDisposable {
  readonly one: string;
  readonly other: string;
}

/** Two, and with them goes everything that was made on them. */
export async function twoDisks(sizeBytes = DISK_BYTES): Promise<Disks> {
  await using setUp = new AsyncDisposableStack();
  const [one, other] = [setUp.use(await aLoopDevice(sizeBytes)), setUp.use(await aLoopDevice(sizeBytes))];
  setUp.defer(async () => {
    await settled();
    await host.exec(['vgchange', '--activate', 'n'], { successCodes: [0, 5] });
    await run('dmsetup', 'remove_all', '--force');
    await settled();
  });
  const stack = setUp.move();
  return { one: one.path, other: other.path, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** What LVM says of it. */
export async function reported(): Promise<string> {
  await settled();
  return (await host.exec(REPORT.argv, REPORT.options)).stdout;
}

if (import.meta.main) {
  for (const name of process.argv.slice(2)) {
    await using disks = await twoDisks();
    const make: World = WORLDS[name as WorldName];
    await make(disks.one, disks.other);
    console.log(`--- ${name}\n${(await reported()).trimEnd()}`);
  }
}
