import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { Patience } from '../kit/patience.ts';
import { PatientOpening, READ_PATIENCE_MS } from './patient-opening.ts';

const HANGS_MS = 10 * READ_PATIENCE_MS;
const { signal } = new AbortController();

/** So many devices, dm-0 and so on, the first of which do not answer for long when they are read, or when something else is done. */
function aNode({ devices = 8, silent = 1, verb = 'device.read' } = {}) {
  const clock = new VirtualClock();
  const machine = new SimulatedMachine(clock);
  for (let index = 0; index < devices; index++) {
    machine.addDisk({ name: `dm-${index}`, sizeBytes: 2 ** 20 });
    if (index < silent)
      machine.faults.when((operation) => operation.verb === verb && operation.target === `/dev/dm-${index}`, {
        kind: 'delay',
        ms: HANGS_MS,
      });
  }
  const host = machine.host();
  const opening = new PatientOpening(host, new Patience(clock, 10));
  const look = async (index: number, group = 'vg') => {
    try {
      await using opened = await opening.open(`/dev/dm-${index}`, { group, exclusive: true, signal });
      return opened.isBlank ? 'blank' : 'something';
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
  };
  const isOpen = async (index: number) => {
    try {
      await using _device = await host.devices.open(`/dev/dm-${index}`, { access: 'read', exclusive: true });
      return false;
    } catch {
      return true;
    }
  };
  return { clock, machine, look, isOpen };
}

describe('a device', () => {
  it('is open for as long as it is looked at', async () => {
    const { look, isOpen } = aNode({ silent: 0 });
    expect(await look(0)).toBe('blank');
    expect(await isOpen(0)).toBe(false);
  });

  it.each(['device.open', 'device.read'])('that does not answer a %s is closed when it does', async (verb) => {
    const { clock, look, isOpen } = aNode({ verb });
    const looked = look(0);
    await clock.advance(READ_PATIENCE_MS);
    expect(await looked).toBe('it does not answer');
    expect(await look(0)).toBe('it does not answer');
    await clock.advance(HANGS_MS);
    expect(await isOpen(0)).toBe(false);
    expect(await look(0)).toBe('blank');
  });

  it('that fails late is closed as well', async () => {
    const { clock, machine, look, isOpen } = aNode();
    const looked = look(0);
    await clock.advance(READ_PATIENCE_MS);
    expect(await looked).toBe('it does not answer');
    machine.faults.when(({ verb }) => verb === 'device.read', { kind: 'fail' });
    await clock.advance(HANGS_MS);
    expect(await isOpen(0)).toBe(false);
  });
});

describe('devices of a group', () => {
  it('are looked at beside one that does not answer, and after it', async () => {
    const { clock, look } = aNode();
    const looked = [0, 1, 2, 3, 4, 5].map((index) => look(index));
    expect(await Promise.all(looked.slice(1))).toEqual(Array.from({ length: 5 }, () => 'blank'));
    await clock.advance(READ_PATIENCE_MS);
    expect(await look(6)).toBe('blank');
  });

  it('are not looked at when several of them do not answer, until one does; those of others are', async () => {
    const { clock, look } = aNode({ silent: 4 });
    const looked = [0, 1, 2, 3].map((index) => look(index));
    await clock.advance(READ_PATIENCE_MS);
    expect(await Promise.all(looked)).toEqual(looked.map(() => 'it does not answer'));
    expect(await look(0)).toBe('it does not answer');
    expect(await look(4)).toBe('4 other devices or more of the volume group vg do not answer');
    expect(await look(6, 'other')).toBe('blank');
    await clock.advance(HANGS_MS);
    expect(await look(4)).toBe('blank');
  });
});
