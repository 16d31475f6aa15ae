import { createDecipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keystream, newSeed } from './keystream.ts';

const SEED = '00112233445566778899aabbccddeeff'.repeat(2);

describe('a keystream', () => {
  it('is AES-256 in counter mode, counted in blocks from the beginning of the device', () => {
    const bytes = Buffer.alloc(2 ** 20 + 512);
    keystream(SEED)(bytes, 0);
    const back = createDecipheriv('aes-256-ctr', Buffer.from(SEED, 'hex'), Buffer.alloc(16)).update(bytes);
    expect(back.equals(Buffer.alloc(bytes.length))).toBe(true);
  });

  it('is the same from any position on, however it is cut', () => {
    const whole = Buffer.alloc(2 ** 20);
    keystream(SEED)(whole, 0);
    fc.assert(
      fc.property(fc.nat(30_000), fc.integer({ min: 1, max: 30_000 }), (from, blocks) => {
        const part = Buffer.alloc(blocks * 16, 0xff);
        keystream(SEED)(part, from * 16);
        expect(part.equals(whole.subarray(from * 16, (from + blocks) * 16))).toBe(true);
      }),
    );
  });

  it('is the same whether it goes on where it was or jumps', () => {
    const whole = Buffer.alloc(2 ** 20);
    keystream(SEED)(whole, 0);
    const jumps = fc.array(fc.tuple(fc.boolean(), fc.nat(30_000), fc.integer({ min: 1, max: 5_000 })));
    fc.assert(
      fc.property(jumps, (cuts) => {
        const fill = keystream(SEED);
        let at = 0;
        for (const [goesOn, from, blocks] of cuts) {
          at = goesOn && at + blocks * 16 <= whole.length ? at : from * 16;
          const part = Buffer.alloc(blocks * 16);
          fill(part, at);
          expect(part.equals(whole.subarray(at, at + part.length))).toBe(true);
          at += part.length;
        }
      }),
    );
  });

  it('goes on beyond what 32 bits can count, and does not come again', () => {
    const [far, near] = [Buffer.alloc(512), Buffer.alloc(512)];
    keystream(SEED)(far, 2 ** 32 * 16);
    keystream(SEED)(near, 0);
    expect(far.equals(near)).toBe(false);
  });

  it('fills memory that has something in it, and leaves none of that', () => {
    const [dirty, clean] = [Buffer.alloc(512, 0xaa), Buffer.alloc(512)];
    keystream(SEED)(dirty, 4096);
    keystream(SEED)(clean, 4096);
    expect(dirty.equals(clean)).toBe(true);
  });

  it('is another for another seed, and every seed is new', () => {
    const [one, other] = [newSeed(), newSeed()].map((seed) => {
      const bytes = Buffer.alloc(512);
      keystream(seed)(bytes, 0);
      return bytes;
    });
    expect(one?.equals(other ?? Buffer.alloc(0))).toBe(false);
    expect(newSeed()).toMatch(/^[0-9a-f]{64}$/);
  });
});
