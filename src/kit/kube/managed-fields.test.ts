import { expect, test } from 'vitest';
import { annotationsManagedBy, labelsManagedBy, managersOfLabel } from './managed-fields.ts';

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

test('what a manager wrote is told by each of its entries, and not by those of others', () => {
  const annotated = { manager: 'us', fieldsV1: { 'f:metadata': { 'f:annotations': { '.': {}, 'f:note': {} } } } };
  const managedFields = [owns('us', 'a', 'b'), owns('them', 'c'), owns('us', 'b', 'd'), annotated];
  expect(labelsManagedBy({ managedFields }, 'us')).toEqual(['a', 'b', 'd']);
  expect(annotationsManagedBy({ managedFields }, 'us')).toEqual(['note']);
  expect(labelsManagedBy({}, 'us')).toEqual([]);
});
