import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../test/arbitraries/any-character.ts';
import { InvalidValue } from '../../kit/invalid-value.ts';
import { bindAddress } from './address.ts';
import { choice } from './choice.ts';
import { clusterFlags } from './cluster.ts';
import { duration, positiveDuration } from './duration.ts';
import type { Kind } from './flag.ts';
import { integer } from './integer.ts';
import { listOf } from './list.ts';
import { quantity } from './quantity.ts';
import { onOff } from './switch.ts';
import { text } from './text.ts';

const whyNot = (kind: Kind<unknown>, given: string): string => {
  try {
    return `it was read as ${JSON.stringify(kind.parse(given))}`;
  } catch (error) {
    if (error instanceof InvalidValue) return error.why;
    throw error;
  }
};

const everyKind: readonly Kind<unknown>[] = [
  bindAddress,
  choice('a', 'b'),
  duration,
  positiveDuration,
  integer(1, 9),
  listOf(choice('a', 'b')),
  quantity,
  onOff,
  text('name', 'node-1'),
  clusterFlags.kubeconfig.kind,
  clusterFlags.master.kind,
];

test.each(everyKind)('the example that help and errors give for $allowed can itself be read', (kind) => {
  expect(() => kind.parse(kind.example)).not.toThrow();
});

test('whatever is typed, a kind reads it or says why not, and never fails in another way', () => {
  fc.assert(
    fc.property(fc.constantFrom(...everyKind), fc.string({ unit: anyCharacter }), (kind, given) => {
      expect(whyNot(kind, given)).not.toBe('');
    }),
  );
});

describe('a switch', () => {
  test.each(['1', 't', 'T', 'true', 'TRUE', 'True'])('is on for %s, as Go reads it', (given) => {
    expect(onOff.parse(given)).toBe(true);
  });
  test.each(['0', 'f', 'F', 'false', 'FALSE', 'False'])('is off for %s', (given) => {
    expect(onOff.parse(given)).toBe(false);
  });
  test.each(['', 'yes', 'on', 'tRUE', ' true'])('is neither for %j', (given) => {
    expect(whyNot(onOff, given)).toBe('it is neither true nor false');
  });
});

test('an address to listen on is read as Go reads it, and 0 means none', () => {
  expect(bindAddress.parse(':8080')).toEqual({ port: 8080 });
  expect(bindAddress.parse('[::1]:8081')).toEqual({ host: '::1', port: 8081 });
  expect(bindAddress.parse('0')).toBe('off');
  expect(whyNot(bindAddress, '8080')).toMatch(/^it must end in a colon and a port/);
});

describe('a list', () => {
  const jobs = listOf(choice('topology', 'pool', 'sync'));
  test('is separated by commas; blanks do not count and repetitions are dropped', () => {
    expect(jobs.parse('topology, pool,topology')).toEqual(['topology', 'pool']);
  });
  test.each(['', ',', 'pool,', ',pool'])('has no empty values: %j is refused', (given) => {
    expect(whyNot(jobs, given)).toBe('a value in it is empty');
  });
  test('refuses a value that its kind refuses', () => {
    expect(whyNot(jobs, 'pool,swim')).toBe('there is no such choice');
  });
});

describe('a duration', () => {
  test('is read as Go writes it', () => {
    expect(duration.parse('1h30m').milliseconds).toBe(5_400_000);
  });
  test('may be 0 only where that switches something off', () => {
    expect(duration.parse('0').milliseconds).toBe(0);
    expect(whyNot(positiveDuration, '0s')).toBe('it is not above 0');
  });
  test('is never negative', () => {
    expect(whyNot(duration, '-1s')).toBe('it is negative');
    expect(whyNot(positiveDuration, '-1s')).toBe('it is negative');
  });
  test('without a unit says so', () => {
    expect(whyNot(duration, '60')).toMatch(/^60 has no unit/);
  });
});

describe('a whole number', () => {
  const replicas = integer(1, 100);
  test('within its bounds is read', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 100 }), (n) => replicas.parse(`${n}`) === n));
  });
  test.each([
    ['0', 'it is less than 1'],
    ['101', 'it is more than 100'],
    ['1e2', 'it is not a whole number'],
    ['0x10', 'it is not a whole number'],
    ['1.0', 'it is not a whole number'],
    ['', 'it is not a whole number'],
  ])('%j is refused: %s', (given, why) => {
    expect(whyNot(replicas, given)).toBe(why);
  });
});

test('a quantity is exact and not negative', () => {
  expect(quantity.parse('1.5Gi').toBytesCeil()).toBe(1_610_612_736n);
  expect(whyNot(quantity, '-1Gi')).toBe('it is negative');
  expect(whyNot(quantity, '1GB')).not.toMatch(/^it was read/);
});

describe('the address of an API server', () => {
  const { kind } = clusterFlags.master;
  test.each([
    ['https://10.0.0.1:6443', 'https://10.0.0.1:6443'],
    ['https://rancher.example/k8s/clusters/c-1/', 'https://rancher.example/k8s/clusters/c-1'],
    ['http://127.0.0.1:8001', 'http://127.0.0.1:8001'],
    ['10.0.0.1:6443', 'https://10.0.0.1:6443'],
  ])('%s means %s', (given, url) => {
    expect(kind.parse(given)).toBe(url);
  });
  test('is only http or https', () => {
    expect(whyNot(kind, 'ftp://10.0.0.1')).toBe('it is neither http nor https');
    expect(whyNot(kind, 'https://')).toBe('it is not a URL');
  });
});
