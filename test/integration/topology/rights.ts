/** The rights that the topology job declares, and those to Events, as rules for the accounts of tests. */
import { rolesOf, runtimeRoles } from '../../../src/kit/manifests/rbac.ts';
import { topologySpec } from '../../../src/topology/spec.ts';
import type { PolicyRule } from '../../harness/users.ts';

export const MAY_LABEL: readonly PolicyRule[] = rolesOf(topologySpec).flatMap(({ rules }) => rules);

export const MAY_TELL: readonly PolicyRule[] = runtimeRoles()
  .filter(({ kind }) => kind === 'ClusterRole')
  .flatMap(({ rules }) => rules);
