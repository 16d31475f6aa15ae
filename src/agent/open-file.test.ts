import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OpenFile } from './open-file.ts';
import { aVolume, dropVolume } from './test-volume.ts';

test.each([0, 2 ** 30])(
  'a file that is closed twice leaves alone what has its number by then (%i bytes)',
  async (bytes) => {
    const layout = aVolume();
    const file = await OpenFile.open(join(layout.root, 'one'), 'w+', 0o600);
    await file.close(bytes);
    const next = openSync(join(layout.root, 'two'), 'w');
    await expect(file.close(bytes)).resolves.toBeUndefined();
    closeSync(next); // throws if that was closed above
    dropVolume(layout);
  },
);
