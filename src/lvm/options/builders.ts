/** Builds what tests ask options of. */
import type { Asked } from './parse.ts';

/** A volume that says nothing of itself, unless told to. */
export const anAsked = (changes: Partial<Asked> = {}): Asked => ({
  name: 'db-0',
  path: `/mnt/pv/${changes.name ?? 'db-0'}`,
  mountBase: '/mnt/pv',
  capacity: '10Gi',
  annotations: {},
  defaults: {},
  agentNamespace: 'storage',
  secretNamespaces: ['storage', 'keys'],
  ...changes,
});
