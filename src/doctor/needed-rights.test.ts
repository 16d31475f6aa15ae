/** The chart gives the doctor what it asks for, and nothing more. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../kit/clock/clock.ts';
import { KubeClient } from '../kit/kube/client.ts';
import type { Transport } from '../kit/kube/transport.ts';
import type { PolicyRule } from '../kit/manifests/policy-rules.ts';
import { type Right, rightsIn } from '../sandbox/removed-right.ts';
import { lookAtCluster } from './look.ts';

/** As they stand in the template, which has nothing to fill in there. */
function rulesInChart(): readonly PolicyRule[] {
  const template = readFileSync(join(import.meta.dirname, '../../charts/holdfast/templates/doctor.yaml'), 'utf8');
  const [, rules = ''] = /^rules:\n((?: .*\n)+)/m.exec(template) ?? [];
  return parse(rules);
}

/** A job, of whose account it is asked what that may do. */
const aDeployment = {
  metadata: { name: 'holdfast-topology', namespace: 'default', labels: { 'holdfast.dev/job': 'topology' } },
  spec: { replicas: 1, template: { spec: { serviceAccountName: 'topology', containers: [{ image: 'holdfast:1' }] } } },
};

/** An API server that has nothing but a job, and notes what right each request takes. */
function noting(needed: Set<Right>): Transport {
  return {
    close: async () => {},
    request: async ({ method, path }) => {
      const [, plural = '', name] = /^\/(?:api|apis\/[^/]+)\/v\d\w*\/([a-z]+)(?:\/([^?]+))?/.exec(path) ?? [];
      if (plural) needed.add(`${method === 'POST' ? 'create' : name ? 'get' : 'list'} ${plural}`);
      const items = plural === 'deployments' ? [aDeployment] : [];
      const text = JSON.stringify({ metadata: { name }, items, status: { allowed: true } });
      const body = (async function* () {
        yield Buffer.from(text);
      })();
      return { status: 200, header: () => undefined, body, text: async () => text };
    },
  };
}

test('each right of the doctor is one that it uses, and each that it uses is given', async () => {
  const needed = new Set<Right>();
  const client = new KubeClient({ transport: noting(needed), clock: systemClock, random: () => 0.5 });
  const { signal } = new AbortController();
  await lookAtCluster({ client, signal, version: '1', now: () => new Date(), heartbeat: () => undefined });
  expect([...needed].toSorted()).toEqual(rightsIn([{ rules: rulesInChart() }]).toSorted());
});
