import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { contentAt } from './signature.ts';

const MIB = 2 ** 20;
const PATH = '/dev/dm-3';

describe('what is on a volume', () => {
  it('is nothing where it is blank, and no command is needed to see that', async () => {
    const { look } = aVolume();
    expect(await look()).toEqual({ known: true, value: undefined });
  });

  it.each([
    ['a filesystem', { stdout: 'TYPE=xfs\n' }, 'xfs'],
    ['several things', { code: 8 }, 'several kinds of data at once'],
    ['nothing that it knows', { code: 2 }, undefined],
  ])('is what blkid says where it is not: %s', async (_, reply, value) => {
    const { disk, look } = aVolume(reply);
    disk.write(Buffer.from('x'), 1080);
    expect(await look()).toEqual({ known: true, value });
  });

  it.each([
    ['there is no blkid', undefined],
    ['blkid could not look', { code: 2, stderr: 'error: /proc/self/fd/3: Permission denied\n' }],
    ['blkid fails', { code: 4 }],
  ])('is unknown when it is not blank and %s', async (_, reply) => {
    const { disk, look } = aVolume(reply);
    disk.write(Buffer.from('x'), 1080);
    expect(await look()).toMatchObject({ known: false });
  });

  it.each(['device.open', 'device.read'])('is unknown when %s fails, which blkid takes for nothing', async (verb) => {
    const { machine, look } = aVolume({ code: 2 });
    machine.faults.when((operation) => operation.verb === verb, { kind: 'fail' });
    expect(await look()).toMatchObject({ known: false, why: expect.stringMatching(/./) });
  });

  it('is unknown when it is not there', async () => {
    const { host } = aVolume();
    expect(await contentAt(host, '/dev/dm-4')).toMatchObject({ known: false });
  });
});

function aVolume(reply?: { code?: number; stdout?: string; stderr?: string }) {
  const machine = new SimulatedMachine(new VirtualClock());
  const disk = machine.addDisk({ name: 'dm-3', sizeBytes: 64 * MIB });
  if (reply) machine.install('blkid', () => reply);
  const host = machine.host();
  return { machine, disk, host, look: () => contentAt(host, PATH) };
}
