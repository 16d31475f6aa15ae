import { describe, expect, it } from 'vitest';
import type { Commands } from '../kit/host/command.ts';
import { renewKeys } from './key-slots.ts';

const [OLD, NEW, OTHER] = ['old', 'new', 'other'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

/** A device whose slots are these keys, as cryptsetup shows it. */
class Slots implements Pick<Commands, 'exec'> {
  readonly keys: (string | undefined)[];
  readonly ran: string[] = [];
  /** That what is added does not open it. */
  isForgetful = false;

  constructor(...keys: string[]) {
    this.keys = keys;
  }

  exec: Commands['exec'] = async ([, verb = '', ...args], { input = '' } = {}) => {
    const given = Buffer.from(input as Uint8Array).toString();
    this.ran.push(verb);
    if (verb === 'luksKillSlot') this.keys[Number(args.at(-1))] = undefined;
    if (verb === 'luksAddKey') {
      const size = Number(args[args.indexOf('--keyfile-size') + 1]);
      if (!this.keys.includes(given.slice(0, size))) throw new Error('no such key');
      if (!this.isForgetful) this.keys.push(given.slice(size));
    }
    const slot = this.keys.indexOf(given);
    const isFound = verb !== 'open' || slot >= 0;
    const stdout = verb === 'open' && isFound ? `Key slot ${slot} unlocked.\n` : '';
    return { code: isFound ? 0 : 2, stdout, stderr: '', truncated: { stdout: false, stderr: false } };
  };

  get now(): readonly string[] {
    return this.keys.filter((key) => key !== undefined);
  }
}

const renewed = (slots: Slots, key: Buffer, previousKey?: Buffer) =>
  renewKeys(slots, { device: '/dev/vg/data', keys: { key, version: '1', ...(previousKey && { previousKey }) } });

describe('the keys of an encrypted volume', () => {
  it('stay as they are when the key opens it', async () => {
    const slots = new Slots('new');
    expect(await renewed(slots, NEW)).toBe(false);
    expect(await renewed(slots, NEW, OLD)).toBe(false);
    expect(slots.now).toEqual(['new']);
    expect(slots.ran).not.toContain('luksKillSlot');
  });

  it('are replaced, the new one first', async () => {
    const slots = new Slots('old');
    expect(await renewed(slots, NEW, OLD)).toBe(true);
    expect(slots.now).toEqual(['new']);
    expect(slots.ran.indexOf('luksAddKey')).toBeLessThan(slots.ran.indexOf('luksKillSlot'));
  });

  it('are replaced in every slot that the one before is in', async () => {
    const slots = new Slots('old', 'old');
    expect(await renewed(slots, NEW, OLD)).toBe(true);
    expect(slots.now).toEqual(['new']);
  });

  it('are replaced to the end when that was cut off', async () => {
    const slots = new Slots('old', 'new');
    expect(await renewed(slots, NEW, OLD)).toBe(true);
    expect(slots.now).toEqual(['new']);
    expect(slots.ran).not.toContain('luksAddKey');
  });

  it('stay as they are when the new one does not open it after all', async () => {
    const slots = new Slots('old');
    slots.isForgetful = true;
    await expect(renewed(slots, NEW, OLD)).rejects.toThrow('the new key does not open /dev/vg/data');
    expect(slots.now).toEqual(['old']);
  });

  it('are somebody elses when none of the Secret opens it', async () => {
    const slots = new Slots('other');
    await expect(renewed(slots, NEW)).rejects.toMatchObject({ fact: 'keyIsWrong' });
    await expect(renewed(slots, NEW, OLD)).rejects.toMatchObject({ fact: 'keyIsWrong' });
    expect(slots.now).toEqual([OTHER.toString()]);
  });
});
