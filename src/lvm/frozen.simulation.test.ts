/** Snapshots of encrypted volumes that are in use: nothing is written meanwhile, and nobody waits for ever. */
import { describe, expect, it } from 'vitest';
import type { Operation } from '../kit/host/simulated/operation.ts';
import { SimulatedNode } from './simulated-node.ts';

const PATIENCE = { timeout: 120_000 };
const [VOLUME, SNAPSHOT] = ['data', 'data-monday'];

async function encrypted(options: object): Promise<SimulatedNode> {
  const node = new SimulatedNode();
  node.declare(VOLUME, { options: { cryptSecret: 'key', ...options } });
  await node.rest();
  node.write(VOLUME);
  return node;
}

const snap = (node: SimulatedNode) =>
  node.declare(SNAPSHOT, { size: 4n, options: { cryptSecret: 'key', snapshotOf: VOLUME } });
it('a snapshot does not thaw what somebody else has frozen', async () => {
  const node = await encrypted({});
  const content = node.contentOf(VOLUME);
  if (!content) throw new Error('it is not mounted');
  content.isFrozen = true;
  snap(node);
  await node.rest();
  expect(content.isFrozen).toBe(true);
  expect(node.says(SNAPSHOT, 'message')).toContain('Device or resource busy');
  content.isFrozen = false;
  await node.pass(600_000);
  expect(node.says(SNAPSHOT, 'status')).toBe('Processed');
});

const isProgram = ({ verb, target }: Operation) => verb === 'exec' && target !== 'api';

describe.each([{}, { thinPool: 'pool', thinPoolSize: '80Mi' }])(
  'of an encrypted volume with %o',
  PATIENCE,
  (options) => {
    it('a snapshot has all that was written before', async () => {
      const node = await encrypted(options);
      snap(node);
      await node.rest();
      expect([node.says(SNAPSHOT, 'message'), node.says(SNAPSHOT, 'status')]).toEqual([undefined, 'Processed']);
      expect(node.contentOf(SNAPSHOT)?.data).toBe(node.contentOf(VOLUME)?.data);
      expect(node.contentOf(VOLUME)?.isFrozen).toBe(false);
    });

    it.each(['crash-before', 'crash-after'] as const)(
      'a snapshot leaves nothing frozen, whatever call ends with a %s',
      async (kind) => {
        for (let place = 1; ; place++) {
          const node = await encrypted(options);
          let [calls, isKilled] = [0, false];
          node.machine.faults.when(
            (operation) => {
              if (isKilled || !isProgram(operation) || ++calls !== place) return false;
              isKilled = true;
              return true;
            },
            { kind },
          );
          snap(node);
          await node.rest();
          expect(node.says(SNAPSHOT, 'status'), `at ${place}`).toBe('Processed');
          expect(node.contentOf(VOLUME)?.isFrozen, `at ${place}`).toBe(false);
          expect(node.machine.tree.list('/run/holdfast/frozen'), `at ${place}`).toEqual([]);
          expect(node.violations).toEqual([]);
          if (!isKilled) return expect(place).toBeGreaterThan(6);
        }
      },
    );
  },
);
