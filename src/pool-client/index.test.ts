import { expect, test } from 'vitest';

test('programs find the client by the name of the package', async () => {
  const library = await import('holdfast/pool-client');
  expect(Object.keys(library)).toEqual(expect.arrayContaining(['PoolClient', 'bytesSource', 'fileSource', 'Unknown']));
});
