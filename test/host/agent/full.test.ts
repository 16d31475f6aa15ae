/** A volume that has no room left: an answer that says so, nothing half-written, and all else still works. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { realHost } from '../../../src/kit/host/host.ts';
import { eventually } from '../../harness/wait.ts';
import { aLoopDevice } from '../loop-device.ts';
import { AgentProcess } from './agent-process.ts';

const MIB = 1024 * 1024;
const host = realHost({ clock: systemClock });

async function aSmallVolume(filesystem: 'ext4' | 'xfs' | 'btrfs', bytes: number) {
  await using setUp = new AsyncDisposableStack();
  const device = setUp.use(await aLoopDevice(bytes));
  await host.exec([`mkfs.${filesystem}`, device.path]);
  const mount = join(device.directory, 'mount');
  await mkdir(mount);
  const options = filesystem === 'btrfs' ? ['-o', 'commit=1'] : []; // or what was removed takes room for half a minute
  await host.exec(['mount', ...options, device.path, mount]);
  setUp.defer(async () => void (await host.exec(['umount', mount])));
  const stack = setUp.move();
  return { path: join(mount, 'data'), [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe.each([
  ['ext4', 64 * MIB],
  ['xfs', 320 * MIB],
  ['btrfs', 128 * MIB],
] as const)('on %s', (filesystem, size) => {
  test('what has no room is refused, nothing of it is left, and room that is made is used', async () => {
    await using volume = await aSmallVolume(filesystem, size);
    await using agent = await AgentProcess.start(volume.path);
    const stored: { key: string; bytes: Buffer }[] = [];
    const chunked = { 'transfer-encoding': 'chunked' }; // nobody can tell from the headers that it will not fit
    let refused = 0;
    for (let index = 0; refused < 3; index++) {
      const [key, bytes] = [`k${index}`, randomBytes(size / 10)];
      const { status, bytes: answer } = await agent.ask('PUT', `/blobs/${key}`, bytes, chunked);
      if (status === 201) stored.push({ key, bytes });
      else {
        expect([status, JSON.parse(answer.toString()).reason]).toEqual([507, 'Full']);
        expect((await agent.ask('GET', `/blobs/${key}`)).status).toBe(404);
        refused += 1;
      }
    }
    await eventually(async () => expect(await readdir(join(volume.path, 'uploads'))).toEqual([]));
    for (const { key, bytes } of stored) {
      expect((await agent.ask('GET', `/blobs/${key}`)).bytes.equals(bytes)).toBe(true);
    }
    expect(await agent.json('/status')).toMatchObject({ state: 'Ready', blobs: stored.length, corrupt: 0 });
    for (const { key } of stored.splice(0, 2)) expect((await agent.ask('DELETE', `/blobs/${key}`)).status).toBe(204);
    await eventually(async () => {
      expect((await agent.ask('PUT', '/blobs/again', randomBytes(size / 20))).status).toBe(201);
    });
  });

  test('a volume without any room can still be told to drain, and remembers', async () => {
    await using volume = await aSmallVolume(filesystem, size);
    await using agent = await AgentProcess.start(volume.path);
    const chunked = { 'transfer-encoding': 'chunked' };
    for (const bytes of [size / 10, 200_000, 5_000, 1]) {
      for (let index = 0, status = 201; status === 201 && index < 300; index++) {
        status = (await agent.ask('PUT', `/blobs/${bytes}-${index}`, randomBytes(bytes), chunked)).status;
        expect([201, 507]).toContain(status);
      }
    }
    const order = JSON.stringify({ generation: 2, peers: [{ name: 'other', url: 'http://127.0.0.1:9' }] });
    expect((await agent.ask('PUT', '/manage-agent/decommission', order)).status).toBe(200);
    await agent.kill();
    await using next = await AgentProcess.start(volume.path);
    await eventually(async () =>
      expect(await next.json('/status')).toMatchObject({ state: 'Decommissioning', generation: 2 }),
    );
  });
});

test('what its size says cannot fit is refused before it is sent', async () => {
  await using volume = await aSmallVolume('ext4', 16 * MIB);
  await using agent = await AgentProcess.start(volume.path);
  const headers = { 'content-length': 1024 * MIB, expect: '100-continue' };
  expect((await agent.ask('PUT', '/blobs/k', '', headers)).status).toBe(507);
});
