import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { contentOf, kindIn } from './content.ts';
import { SimulatedMachine } from './simulated/machine.ts';

const MIB = 2 ** 20;

describe('what blkid says', () => {
  it.each([
    ['a filesystem', 'DEVNAME=/proc/self/fd/3\nUUID=1\nTYPE=ext4\nUSAGE=filesystem\n', 'ext4'],
    ['a partition table', 'DEVNAME=/proc/self/fd/3\nPTUUID=1\nPTTYPE=gpt\n', 'a partition table (gpt)'],
    ['both', 'DEVNAME=/proc/self/fd/3\nTYPE=ext4\nPTTYPE=dos\n', 'ext4 and a partition table (dos)'],
    ['something without a name', 'DEVNAME=/proc/self/fd/3\nUSAGE=raid\n', 'data of an unnamed kind'],
    [
      'nothing but where a partition is',
      'DEVNAME=/proc/self/fd/3\nPART_ENTRY_SCHEME=gpt\nPART_ENTRY_NUMBER=1\n',
      undefined,
    ],
    ['a filesystem on a partition', 'DEVNAME=/proc/self/fd/3\nTYPE=xfs\nPART_ENTRY_NUMBER=1\n', 'xfs'],
    ['a partition for GRUB', 'PART_ENTRY_TYPE=21686148-6449-6e6f-744e-656564454649\n', 'a boot loader'],
    ['a partition of PReP', 'PART_ENTRY_SCHEME=dos\nPART_ENTRY_TYPE=0x41\n', 'a boot loader'],
    ['a label with an equals sign', 'LABEL=TYPE=x\nTYPE=xfs\n', 'xfs'],
  ])('of %s is understood', (_, exported, kind) => {
    expect(kindIn(exported)).toBe(kind);
  });
});

describe('the content of a device', () => {
  it.each<[string, { code?: number; stdout?: string; stderr?: string }, unknown]>([
    ['nothing', { code: 2 }, { known: true, value: undefined }],
    ['a filesystem', { stdout: 'TYPE=xfs\n' }, { known: true, value: 'xfs' }],
    ['several things', { code: 8 }, { known: true, value: 'several kinds of data at once' }],
    ['that it could not look', { code: 2, stderr: 'error: /proc/self/fd/3: Permission denied\n' }, { known: false }],
    ['that it does not know the flag', { code: 4, stderr: 'usage\n' }, { known: false }],
  ])('is what blkid says: %s', async (_, reply, signature) => {
    const { look } = aDevice(reply);
    expect((await look()).signature).toMatchObject(signature as object);
  });

  it('is unknown when there is no blkid', async () => {
    const { look } = aDevice();
    expect((await look()).signature).toMatchObject({ known: false, why: expect.stringMatching(/Install blkid/) });
  });

  it.each([0, 4 * MIB, 63 * MIB])(
    'is unknown when it cannot be read at %i, which blkid does not say',
    async (position) => {
      const { machine, look } = aDevice({ code: 2 });
      machine.faults.when(({ verb, position: at }) => verb === 'device.read' && at === position, { kind: 'fail' });
      expect(await look()).toMatchObject({ signature: { known: false }, isBlank: false, isHeadBlank: false });
    },
  );

  it.each([
    [0, false],
    [5 * MIB - 1, false],
    [64 * MIB - 1, true],
  ])('is seen when the byte at %i is not zero; its head is blank: %s', async (position, isHeadBlank) => {
    const { look, write } = aDevice({ code: 2 });
    expect(await look()).toMatchObject({ isBlank: true, isHeadBlank: true });
    await write(position);
    expect(await look()).toMatchObject({ isBlank: false, isHeadBlank, signature: { known: true, value: undefined } });
  });

  it.each([512, MIB + 512, 5 * MIB, 5 * MIB + 512, 6 * MIB])('can be looked at on %i bytes', async (sizeBytes) => {
    const { look, write } = aDevice({ code: 2 }, sizeBytes);
    expect(await look()).toEqual({ signature: { known: true, value: undefined }, isBlank: true, isHeadBlank: true });
    await write(sizeBytes - 1);
    expect((await look()).isBlank).toBe(false);
  });
});

function aDevice(reply?: { code?: number; stdout?: string; stderr?: string }, sizeBytes = 64 * MIB) {
  const machine = new SimulatedMachine(new VirtualClock());
  const disk = machine.addDisk({ name: 'sdb', sizeBytes });
  if (reply) machine.install('blkid', () => reply);
  const host = machine.host();
  return {
    machine,
    async write(position: number) {
      disk.write(Buffer.from('x'), position);
    },
    async look() {
      await using device = await host.devices.open('/dev/sdb', { access: 'read-write', exclusive: true, direct: true });
      return await contentOf(host, device, disk.facts);
    },
  };
}

const fields = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom('DEVNAME', 'TYPE', 'PTTYPE', 'USAGE', 'PART_ENTRY_TYPE', 'PART_ENTRY_SIZE'), fc.string()),
    fc.string(),
  ),
);

it('tells whatever blkid says about more than the place as something that is there', () => {
  fc.assert(
    fc.property(fields, (said) => {
      const found = kindIn(said.map(([key, value]) => `${key}=${value}`).join('\n'));
      const isOfThePlace = said.every(([key]) => /^(DEVNAME|PART_ENTRY_\w+)$/.test(key));
      if (!isOfThePlace) expect(found).toBeTruthy();
    }),
  );
});

it('can read any text of blkid', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(['string', 'undefined']).toContain(typeof kindIn(Buffer.from(bytes).toString('latin1')));
    }),
  );
});
