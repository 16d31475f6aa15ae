/** The example that docs/kit.md shows is a program that runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Stalled } from '../../../src/kit/controller/outcome.ts';
import type { EventObject } from '../../../src/kit/observe/event.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';
import { decide } from './greeter.ts';

type StoredEvent = EventObject & RawObject;

test('it decides to write a greeting where there is not yet the one for the name', () => {
  expect(decide('Ada', undefined)).toBe('Hello, Ada!');
  expect(decide('Ada', 'Hello, Bob!')).toBe('Hello, Ada!');
  expect(decide('Ada', 'Hello, Ada!')).toBeUndefined();
  expect(() => decide('A'.repeat(64), undefined)).toThrow(Stalled);
});

test('it greets on a real API server, tells so in an Event, and ends well', async () => {
  await using plane = await startControlPlane();
  const configMaps = '/api/v1/namespaces/default/configmaps';
  const annotations = { 'example.dev/greet': 'Ada' };
  await plane.admin.post(configMaps, { metadata: { name: 'letter', annotations } });
  const env = { ...process.env, KUBECONFIG: plane.kubeconfig };
  const greeter = spawn(process.execPath, [join(import.meta.dirname, 'greeter.ts')], { env, stdio: 'ignore' });
  const ended = once(greeter, 'exit');
  try {
    await eventually(async () => {
      expect((await plane.admin.get(`${configMaps}/letter`)).data).toEqual({ greeting: 'Hello, Ada!' });
      const { items } = await plane.admin.list<StoredEvent>('/apis/events.k8s.io/v1/namespaces/default/events');
      const aboutLetter = items.filter(({ regarding }) => regarding.name === 'letter');
      expect(aboutLetter.map(({ note }) => note)).toEqual(['Hello, Ada!']);
    });
    greeter.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  } finally {
    greeter.kill('SIGKILL');
  }
});
