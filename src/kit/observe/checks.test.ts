import { expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { Checks } from './checks.ts';

function checks() {
  const clock = new VirtualClock();
  return { clock, checks: new Checks(clock) };
}

it('passes when there is nothing wrong, and tells every sentence of what is', async () => {
  const { checks: all } = checks();
  all.add('well', 'live', () => undefined);
  all.add('also-well', 'live', async () => []);
  all.add('lease', 'live', () => 'nobody renewed\n  it');
  all.add('caches', 'live', () => ['pods are stuck', 'nodes are stuck']);
  expect(await all.run(['well', 'also-well', 'lease', 'caches'])).toEqual([
    { name: 'well' },
    { name: 'also-well' },
    { name: 'lease', fault: 'nobody renewed it' },
    { name: 'caches', fault: 'pods are stuck; nodes are stuck' },
  ]);
});

it('takes whoever is not alive for not ready either, but not the other way round', () => {
  const { checks: all } = checks();
  all.add('lease', 'live', () => undefined);
  all.add('caches', 'ready', () => undefined);
  expect(all.names('live')).toEqual(['lease', 'ping']);
  expect(all.names('ready')).toEqual(['caches', 'lease', 'ping']);
});

it('takes a check that throws for failed, and asks it again the next time', async () => {
  const { checks: all } = checks();
  let broken = true;
  all.add('moody', 'live', () => {
    if (broken) throw new Error('it is dark');
    return undefined;
  });
  expect(await all.run(['moody'])).toEqual([{ name: 'moody', fault: 'it could not be told: it is dark' }]);
  broken = false;
  expect(await all.run(['moody'])).toEqual([{ name: 'moody' }]);
});

it('takes a check that hangs for failed, without making the others wait for it or asking it twice', async () => {
  const { clock, checks: all } = checks();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let asked = 0;
  all.add('slow', 'live', () => {
    asked += 1;
    return promise;
  });
  const twice = [all.run(['slow', 'ping']), all.run(['slow'])];
  await clock.advance(799);
  expect(await Promise.race([...twice, 'not yet'])).toBe('not yet');
  await clock.advance(1);
  const late = { name: 'slow', fault: 'no answer within 0.8 s' };
  expect(await Promise.all(twice)).toEqual([[late, { name: 'ping' }], [late]]);
  expect(asked).toBe(1);

  resolve(undefined);
  expect(await all.run(['slow'])).toEqual([{ name: 'slow' }]);
  expect(clock.pending).toBe(0);
});

it('does not take two checks of one name, nor a name that would break a path', () => {
  const { checks: all } = checks();
  expect(() => all.add('ping', 'live', () => undefined)).toThrow('there is a check named "ping" already');
  expect(() => all.add('a/b', 'live', () => undefined)).toThrow('cannot be part of a path');
});
