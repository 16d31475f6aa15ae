import { expect, test } from 'vitest';
import { StandIn } from '../go-stand-in.ts';

test('tells versitygw its version', async () => {
  await using build = await StandIn.of('s3-server');
  await build.result();
  expect(await build.builds()).toEqual([expect.stringMatching(/-X main\.Version=v1\.\d+\.\d+ /)]);
});
