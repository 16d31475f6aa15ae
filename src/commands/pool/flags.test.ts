/** What may be typed, and what is said about the rest. */
import { expect, test } from 'vitest';
import { aPool } from '../../pool/builders.ts';
import { standingOf } from '../../pool/standing.ts';
import { invokedAs } from '../invoked-as.ts';
import { runCommandLine } from '../line/program.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { rendered } from '../page/render.ts';
import { PLAIN } from '../page/screen.ts';
import { statusPage } from '../status/pool.ts';
import { define as defineStatus } from '../status/status.ts';
import { define } from './pool.ts';

const commands = [
  { group: 'run', name: 'pool', summary: 'keeps pools', load: async () => ({ define }) },
  { group: 'look', name: 'status', summary: 'how it stands', load: async () => ({ define: defineStatus }) },
] as const;

async function typed(...args: readonly string[]) {
  const terminal = aTerminal({ HOME: '/nonexistent' });
  const exitCode = await runCommandLine({ commands, examples: {} }, invokedAs('holdfast'), args, terminal);
  return { exitCode, ...terminal.written };
}

test.each([
  ['--metrics-bind-address=here', '--metrics-bind-address cannot be "here"'],
  ['--health-probe-bind-address=here', '--health-probe-bind-address cannot be "here"'],
  ['--leader-elect=maybe', 'use true or false'],
])('%s ends with 2 and a sentence', async (flag, sentence) => {
  const { exitCode, err } = await typed('pool', flag);
  expect(err).toContain(sentence);
  expect(exitCode).toBe(2);
});

test('the flags of the original are taken, with its defaults', async () => {
  const { out } = await typed('pool', '--help');
  expect(out).toMatch(/--metrics-bind-address .*\(default :8080\)/s);
  expect(out).toMatch(/--health-probe-bind-address .*\(default :8081\)/s);
  const { exitCode, err } = await typed(
    'pool',
    '--leader-elect',
    '--metrics-bind-address=:1',
    '--health-probe-bind-address=:2',
    '--kubeconfig=/nonexistent/config',
  );
  expect(err).toContain('/nonexistent/config');
  expect(exitCode).toBe(1);
});

test('the status of pools shows how full they are, what is done, and what needs a person', () => {
  const condition = { observedGeneration: 4, lastTransitionTime: '2026-01-01T00:00:00Z' } as const;
  const draining = aPool(
    {},
    {
      phase: 'ScalingDown',
      readyReplicas: 2,
      usedPercentage: 41,
      capacityBytes: 3 * 2 ** 30,
      observedGeneration: 4,
      forecast: { timeToFull: '9h' },
      conditions: [
        {
          ...condition,
          type: 'Degraded',
          status: 'True',
          reason: 'AgentDoesNotAnswer',
          message: 'the agent data-sts-2\u001b[2J is silent',
        },
      ],
      operation: {
        kind: 'ScaleDown',
        generation: 1,
        from: 3,
        to: 2,
        since: '',
        members: [],
        progress: 'draining data-sts-2',
      },
    },
  );
  const unseen = { ...aPool(), metadata: { ...aPool().metadata, name: 'new' } };
  expect(rendered(statusPage({ pools: [draining, unseen].map(standingOf) }), PLAIN)).toMatchInlineSnapshot(`
    "2 pools

    POOL           PVS   READY   PHASE         USED   OF    FULL IN   NOW
    default/data   3     2       ScalingDown   41%    3Gi   9h        draining data-sts-2
    default/new    3     0       Unknown       -      -     -         -

    NEEDS A PERSON
    POOL           WHY
    default/data   the agent data-sts-2\\u001b[2J is silent
    default/new    its last change has not been looked at: is holdfast pool running?
    "
  `);
});
