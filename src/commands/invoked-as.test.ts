import { expect, test } from 'vitest';
import { environmentOf, invokedAs, takeInvokedName } from './invoked-as.ts';

test.each([
  ['pv-labels-operator', 'topology'],
  ['local-pv-provisioner', 'devices'],
  ['k8s-local-pv', 'lvm'],
  ['manager', 'pool'],
  ['pvsync', 'sync'],
  ['storage-agent.js', 'storage-agent'],
])('under the name %s it is holdfast %s', (name, command) => {
  expect(invokedAs(name)).toEqual({ name, program: 'holdfast', command });
});

test.each(['holdfast', 'holdfast.mjs', 'main.ts', 'node', ''])(
  'under the name %j nothing is chosen beforehand',
  (name) => {
    expect(invokedAs(name)).toMatchObject({ program: 'holdfast', command: undefined });
  },
);

test('as a kubectl plugin it is holdfast, and calls itself as the person did', () => {
  expect(invokedAs('kubectl-holdfast')).toMatchObject({ program: 'kubectl holdfast', command: undefined });
});

test('the name is that of the file that was started, wherever it is', () => {
  expect(takeInvokedName({ argv: ['/usr/bin/node', '/usr/local/bin/pvsync'], env: {} })).toBe('pvsync');
});

test('the launcher passes the name on, and it is not inherited further', () => {
  const env = { HOLDFAST_INVOKED_AS: '/manager', PATH: '/bin' };
  expect(takeInvokedName({ argv: ['node', 'src/main.ts'], env })).toBe('manager');
  expect(env).toEqual({ PATH: '/bin' });
});

test('in the place of k8s-local-pv the node is the host and defaults need not be readable, unless it is said', () => {
  const host = () => 'worker-1';
  expect(environmentOf('k8s-local-pv', {}, host)).toEqual({ NODE_NAME: 'worker-1', LVM_DEFAULTS: 'optional' });
  const said = { NODE_NAME: 'a', LVM_DEFAULTS: 'required' };
  expect(environmentOf('k8s-local-pv', said, host)).toEqual(said);
  expect(environmentOf('holdfast', {}, host)).toEqual({});
});
