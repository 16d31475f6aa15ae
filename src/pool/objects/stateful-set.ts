/** The StatefulSet of a pool. */
import { STATEFUL_SETS, type StatefulSet } from '../../api/stateful-sets.ts';
import { apiVersionOf } from '../../kit/kube/resource.ts';
import { CLAIM_TEMPLATE, type PvPool, TEMPLATE_ANNOTATION } from '../contract.ts';
import { serviceNameOf, statefulSetNameOf } from '../names.ts';
import { labelsOf, nameOf, ownedMetadata } from './owned.ts';
import { podTemplateOf } from './pod-template.ts';
import { securityOf, templateFactsOf, templateMarkOf, templateMustChange } from './template-mark.ts';

/**
 * A new one; or the one that is there, whole as it was read, with the template that it should have. It is the very same object if it has
 * that already.
 */
export const statefulSetOf = (pool: PvPool, existing?: StatefulSet): StatefulSet =>
  existing ? withItsTemplate(pool, existing) : newStatefulSet(pool);

/** Its pods come all at once: none has to wait for another. Where there was one before, as many have to come back as there were. */
function newStatefulSet(pool: PvPool): StatefulSet {
  const name = nameOf(pool);
  const security = securityOf(pool);
  const metadata = ownedMetadata(pool, statefulSetNameOf(name));
  return {
    apiVersion: apiVersionOf(STATEFUL_SETS),
    kind: STATEFUL_SETS.kind,
    metadata: { ...metadata, annotations: { [TEMPLATE_ANNOTATION]: templateMarkOf(pool, security) } },
    spec: {
      replicas: pool.spec.numPVs,
      serviceName: serviceNameOf(name),
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labelsOf(pool) },
      updateStrategy: updatedFrom(0),
      template: podTemplateOf(pool, security),
      volumeClaimTemplates: [claimTemplateOf(pool)],
    },
  };
}

/**
 * None of its pods is replaced yet: for that the partition has to be lowered. Of the rest hardly anything can ever change, and how many
 * there are is not for a template to say.
 */
function withItsTemplate(pool: PvPool, existing: StatefulSet): StatefulSet {
  const facts = templateFactsOf(existing);
  if (!templateMustChange(pool, facts)) return existing;
  const security = securityOf(pool, facts);
  const { metadata, spec } = existing;
  const mark = templateMarkOf(pool, security);
  return {
    ...existing,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [TEMPLATE_ANNOTATION]: mark } },
    spec: { ...spec, updateStrategy: updatedFrom(spec?.replicas ?? 1), template: podTemplateOf(pool, security) },
  };
}

const updatedFrom = (partition: number) => ({ type: 'RollingUpdate', rollingUpdate: { partition } });

const claimTemplateOf = ({ spec: { pvSizeGB, storageClass } }: PvPool) => ({
  metadata: { name: CLAIM_TEMPLATE },
  spec: {
    accessModes: ['ReadWriteOnce'],
    ...(storageClass && { storageClassName: storageClass }),
    resources: { requests: { storage: `${pvSizeGB}Gi` } },
  },
});
