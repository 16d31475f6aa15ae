import { expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { countedStore } from './counted-store.ts';
import { SimulatedStore } from './simulated-store.ts';

const { signal } = new AbortController();

function aStore() {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const metrics = { asked: (verb: string, result: string) => void asked.push(`${verb} ${result}`) };
  return { asked, store: countedStore(new SimulatedStore(clock).as('alpha'), { clock, metrics }) };
}

test('each request is counted with what it came to', async () => {
  const { store, asked } = aStore();
  await store.put('a/1', Buffer.from('x'), { signal });
  await store.get('a/1', { signal, most: 10 });
  await store.get('a/2', { signal, most: 10 });
  await store.head('a/1', { signal });
  for await (const _ of store.list('a/', { signal }));
  await store.remove('a/1', { signal });
  expect(asked).toEqual(['put stored', 'get found', 'get missing', 'head found', 'list listed', 'remove removed']);
});

test('a failure is counted by its fault, and thrown on', async () => {
  const { store, asked } = aStore();
  await store.put('a/1', Buffer.from('x'), { signal });
  const again = store.put('a/1', Buffer.from('y'), { signal, condition: { absent: true } });
  await expect(again).rejects.toMatchObject({ fault: 'preconditionFailed' });
  expect(asked.at(-1)).toBe('put preconditionFailed');
});
