/** An agent that is killed while mkfs writes: mkfs ends with it, and the next agent makes the filesystem whole. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LvmNode, MIB } from './lvm-node.ts';

const MKFS = '/usr/local/sbin/mkfs.ext4';
/** Inode tables of more than a hundred MiB, which mkfs writes itself: it is not done for long after the first of them. */
const MUCH_TO_WRITE = '-E lazy_itable_init=0 -i 2048';
const SECTORS_OF_A_TABLE = 4096;

/** Becomes mkfs, and stops it when it has written some of its tables. A process that is stopped can still be killed. */
const STOPPED_HALFWAY = `#!/bin/sh
for device; do :; done
stat=/sys/block/$(basename $(readlink -f $device))/stat
read -r _ _ _ _ _ _ before _ <$stat
(
  exec >/dev/null 2>&1
  while [ -e /proc/$$ ]; do
    read -r _ _ _ _ _ _ sectors _ <$stat
    [ $((sectors - before)) -gt ${SECTORS_OF_A_TABLE} ] && kill -STOP $$ && exit
  done
) &
exec /usr/sbin/mkfs.ext4 "$@"
`;

let node: LvmNode;
beforeAll(async () => {
  node = await LvmNode.start([2048 * MIB]);
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

it('ends with its agent, and the next one makes the filesystem whole', async () => {
  const { guest } = node;
  await guest.write(MKFS, STOPPED_HALFWAY, '0755');
  const agent = await node.agent();
  await node.declare('half', { storage: '1Gi', annotations: { fsOpts: MUCH_TO_WRITE } });
  const pid = await node.eventually('mkfs to be stopped', async () => {
    const found = await guest.output('pgrep', '--exact', 'mkfs.ext4', '--runstates', 'T');
    expect(found).toMatch(/^\d+$/);
    return found;
  });
  expect(await guest.output('readlink', '-f', `/proc/${pid}/exe`)).toBe('/usr/sbin/mke2fs');

  agent.kill('SIGKILL');
  expect(await agent.ended()).toBe('SIGKILL');
  await node.eventually('mkfs to be gone', async () => {
    expect((await guest.run(['pgrep', '--exact', 'mkfs.ext4'])).stdout).toBe('');
  });
  expect(await guest.output('lvs', '--noheadings', '--options', 'lv_tags', 'storage_bulk/half')).toContain('state=new');
  expect((await guest.run(['e2fsck', '-n', '-f', '/dev/storage_bulk/half'])).status).not.toBe(0);

  await guest.output('rm', MKFS);
  await node.agent();
  await node.says('half', 'status', 'Processed');
  await guest.write('/mnt/pv/half/file', 'whole');
  await guest.output('umount', '/mnt/pv/half');
  await guest.output('e2fsck', '-n', '-f', '/dev/storage_bulk/half');
});
