import { expect, test } from 'vitest';
import { StandIn } from '../go-stand-in.ts';

test('tells helm its version, and that of the Kubernetes that it is for', async () => {
  await using build = await StandIn.of('helm');
  await build.result();
  const [told = ''] = await build.builds();
  expect(told).toMatch(/version\.version=v3\.\d+\.\d+ /);
  expect(told.match(/k8sVersionMinor=[1-9]\d+\b/g)).toHaveLength(2);
});
