/** Every case, on the sandbox and on a real control plane. What they answer differently is a failure. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { differences } from './differences.ts';
import { play } from './play.ts';
import { type Servers, startServers } from './servers.ts';
import { post, type Step } from './steps.ts';
import { TOPICS } from './topics.ts';

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers[Symbol.asyncDispose]());

/** Each case has a namespace of its own, which has its name. */
async function compare(name: string, steps: readonly Step[]): Promise<void> {
  const { sandbox, real } = servers;
  const all = [post('namespaces', { metadata: { name } }), ...steps];
  const [ours, theirs] = await Promise.all([play(sandbox, name, all), play(real, name, all)]);
  const differ = differences(steps, ours.slice(1), theirs.slice(1));
  expect(differ.sandbox, 'the sandbox (+) does not answer as the real server (-)').toEqual(differ.real);
}

for (const [topic, { first, cases }] of Object.entries(TOPICS)) {
  const slug = topic.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  describe(topic, () => {
    if (first) test('what its cases have in common', () => compare(slug, first));
    for (const [index, [sentence, steps]] of Object.entries(cases).entries())
      test(sentence, () => compare(`${slug}-${index + 1}`, steps));
  });
}
