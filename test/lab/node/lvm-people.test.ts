/** What people see of the lvm agent of a real node: its report in `holdfast status lvm`, Events on the Node, and metrics. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runHoldfast } from '../../harness/holdfast.ts';
import { LvmNode, MIB } from './lvm-node.ts';

let node: LvmNode;
beforeAll(async () => {
  node = await LvmNode.start([512 * MIB]);
  await node.agent();
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

/** Until the agent has reported so: it takes some seconds. */
const shows = (pattern: RegExp) =>
  node.eventually(`status to show ${pattern}`, async () => {
    const { code, stdout, stderr } = await runHoldfast('status', 'lvm', `--kubeconfig=${node.plane.kubeconfig}`);
    if (code !== 0 || !pattern.test(stdout)) throw new Error(`${stdout}\n${stderr}`);
    return stdout;
  });

it('a node without volumes shows what it has room for', async () => {
  await shows(/^node7 +storage_bulk +508Mi +508Mi$/m);
});

it('a volume that is ready and one that is refused are shown, and what a person can do', async () => {
  await node.declare('data');
  await node.declare('large', { storage: '1Ti' });
  await node.says('data', 'status', 'Processed');
  await node.says('large', 'status', 'Not-Processed-Errors');
  const text = await shows(/^node7 +large +1Ti .* refused: the volume group storage_bulk has 444Mi free/m);
  expect(text).toMatch(/^node7 +data +64Mi +storage_bulk +\/mnt\/pv\/data +- +ready$/m);
  expect(text).toMatch(/^node7 +storage_bulk +508Mi +444Mi$/m);
  expect(text).toMatch(/^node7: large: the volume group storage_bulk has 444Mi free, .*\. Remove volumes/m);
});

it('a thin pool that promises more than it has is shown, and a Warning on the Node', async () => {
  const annotations = { thinPool: 'pool', thinPoolSize: '64Mi' };
  await node.declare('thin', { storage: '128Mi', annotations });
  await node.says('thin', 'status', 'Processed');
  expect(await node.isTold('Node', 'node7', 'ThinPoolOvercommitted')).toMatch(
    /^The volumes of the thin pool storage_bulk\/pool are promised 200 % of its size\. /,
  );
  await shows(/^node7 +storage_bulk\/pool +64Mi +128Mi +\d+ % +\d+ %$/m);
});

it('everything is counted', async () => {
  const metrics = await node.metrics();
  expect(metrics).toMatch(/^holdfast_lvm_group_size_bytes\{vg="storage_bulk"\} 532676608$/m);
  expect(metrics).toMatch(/^holdfast_lvm_volumes\{state="ready"\} 2$/m);
  expect(metrics).toMatch(/^holdfast_lvm_volumes\{state="refused"\} 1$/m);
  expect(metrics).toMatch(/^holdfast_lvm_thin_pool_promised_bytes\{vg="storage_bulk",pool="pool"\} 134217728$/m);
  expect(metrics).toMatch(/^holdfast_lvm_thin_pool_metadata_percent\{vg="storage_bulk",pool="pool"\} \d/m);
  expect(metrics).toMatch(/^holdfast_lvm_failures_total\{reason="groupIsFull"\} [1-9]/m);
  expect(metrics).toMatch(/^holdfast_lvm_step_seconds_count\{step="format",outcome="done"\} 2$/m);
});
