/** Names and ids that the server makes up. */
import type { Random } from '../../kit/backoff.ts';

/** Letters that make no words, and digits that look like no letter. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX = 5;
const LONGEST_BASE = 63 - SUFFIX;

export function generatedName(base: string, random: Random): string {
  const letters = Array.from({ length: SUFFIX }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]);
  return `${base.slice(0, LONGEST_BASE)}${letters.join('')}`;
}

/** A version 4 UUID. */
export function newUid(random: Random): string {
  const part = () => Math.floor(random() * 2 ** 32);
  const hex = (value: number) => value.toString(16).padStart(8, '0');
  const [a, b, c, d] = [hex(part()), hex(part()), hex(part()), hex(part())];
  const variant = ((Number.parseInt(c.slice(0, 1), 16) & 3) | 8).toString(16);
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

/** To the second, as objects tell the time. */
export const timestamp = (date: Date): string => `${date.toISOString().slice(0, -'.000Z'.length)}Z`;
