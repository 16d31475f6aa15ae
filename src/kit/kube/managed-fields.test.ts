import { expect, test } from 'vitest';
import { managersOfLabel } from './managed-fields.ts';

const owns = (manager: string, ...labels: readonly string[]) => ({
  manager,
  fieldsV1: { 'f:metadata': { 'f:labels': Object.fromEntries(labels.map((label) => [`f:${label}`, {}])) } },
});

test('the managers of a label are those whose fields name it', () => {
  const managedFields = [owns('kubectl', 'a', 'b'), owns('csi-provisioner', 'b'), { manager: 'kubelet' }];
  expect(managersOfLabel({ managedFields }, 'b')).toEqual(['kubectl', 'csi-provisioner']);
  expect(managersOfLabel({ managedFields }, 'c')).toEqual([]);
});

test('a server that keeps no account names nobody', () => {
  expect(managersOfLabel({}, 'a')).toEqual([]);
});
