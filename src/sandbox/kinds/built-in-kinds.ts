/** The kinds that every cluster has. */

import { REVIEWS } from '../access/reviews.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './access-kinds.ts';
import { builtIn } from './built-in.ts';
import { coreEvents, toldEvents } from './events.ts';
import {
  customResourceDefinitions,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from './extension-kinds.ts';
import type { Kind } from './kind.ts';
import { namespaces } from './namespaces.ts';
import { nodes } from './nodes.ts';
import { persistentVolumeClaims } from './persistent-volume-claims.ts';
import { persistentVolumes } from './persistent-volumes.ts';
import { pods } from './pods.ts';
import { services } from './services.ts';
import { configMaps, leases, podDisruptionBudgets, secrets, serviceAccounts, storageClasses } from './small-kinds.ts';
import { statefulSets } from './stateful-sets.ts';

/** They are only ever asked. */
const reviews = REVIEWS.map(({ resource }) => builtIn({ resource, verbs: ['create'] }));

export const BUILT_IN_KINDS: readonly Kind[] = [
  configMaps,
  coreEvents,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  secrets,
  serviceAccounts,
  services,
  statefulSets,
  toldEvents,
  ...reviews,
  podDisruptionBudgets,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  storageClasses,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  customResourceDefinitions,
  leases,
];
