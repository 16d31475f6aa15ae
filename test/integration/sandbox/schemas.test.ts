/** What the sandbox knows about built-in kinds is what a real API server says about them. */
import { expect, test } from 'vitest';
import builtIn from '../../../src/sandbox/schema/built-in.json' with { type: 'json' };
import { readSchemas } from '../../../tools/sandbox-schemas/open-api.ts';
import { startControlPlane } from '../../harness/control-plane.ts';

test('the schemas are those of the API server (run make sandbox-schemas)', async () => {
  await using plane = await startControlPlane();
  expect(builtIn).toEqual(await readSchemas((path) => plane.admin.get(path)));
});
