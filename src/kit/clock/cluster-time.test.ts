import { expect, test } from 'vitest';
import { ClusterTime } from './cluster-time.ts';
import { VirtualClock } from './virtual.ts';

const answered = (date: string | undefined, seconds = 0.1) => ({
  ...{ method: 'GET', path: '/version', code: '200', seconds },
  ...(date !== undefined && { date }),
});

test('the time is the one here, until an answer surely says otherwise', () => {
  const clock = new VirtualClock();
  const here = clock.now();
  const time = new ClusterTime(clock);
  expect(time.now()).toEqual(here);
  for (const date of [undefined, 'no date', here.toUTCString()]) {
    time.heard(answered(date));
    expect(time.now()).toEqual(here);
  }
});

test('the time of a cluster whose clock is another is the one of its last answer', async () => {
  const clock = new VirtualClock();
  const time = new ClusterTime(clock);
  const ahead = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toUTCString();
  time.heard(answered(ahead(90)));
  await clock.advance(5000);
  expect(time.now().getTime() - clock.now().getTime()).toBeGreaterThan(88_000);
  time.heard(answered(ahead(120)));
  expect(time.now().getTime() - clock.now().getTime()).toBeGreaterThan(118_000);
  time.heard(answered(ahead(-60)));
  expect(time.now().getTime() - clock.now().getTime()).toBeLessThan(-58_000);
});

test('an answer that was long under way says no more than it can', () => {
  const clock = new VirtualClock();
  const time = new ClusterTime(clock);
  time.heard(answered(new Date(clock.now().getTime() - 8000).toUTCString(), 10));
  expect(time.now()).toEqual(clock.now());
});
