/** Asks ValidatingAdmissionPolicies about every write. */

import { nameOf } from '../../kit/kube/resource.ts';
import { admit, type Denial, type PolicySources } from '../admission/admit.ts';
import type { AdmissionRequest, Binding, Policy } from '../admission/policy.ts';
import { asJson } from '../api-object.ts';
import { seen } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { VALIDATING_ADMISSION_POLICIES, VALIDATING_ADMISSION_POLICY_BINDINGS } from '../kinds/resources.ts';
import type { Store } from '../store/store.ts';
import type { AdmissionPlugin, Admitted } from './admission.ts';
import { Refusal } from './refusals.ts';
import { asScale } from './scale.ts';

export function policies(store: Store, registry: Registry): AdmissionPlugin {
  const kept = store.collection(nameOf(VALIDATING_ADMISSION_POLICIES));
  const all = <T>(name: string): readonly T[] => [...store.collection(name).objects()] as unknown as readonly T[];
  const sources: PolicySources = {
    policies: () => all<Policy>(nameOf(VALIDATING_ADMISSION_POLICIES)),
    bindings: () => all<Binding>(nameOf(VALIDATING_ADMISSION_POLICY_BINDINGS)),
    params: ({ apiVersion, kind }) => {
      const [version = '', group = ''] = apiVersion.split('/').reverse();
      const found = registry.all.find(
        ({ resource }) => resource.kind === kind && resource.version === version && resource.group === group,
      );
      if (!found) return undefined;
      const objects = [...store.collection(found.stored.name).objects()].map((each) => asJson(seen(found, each)));
      return { namespaced: found.resource.namespaced, objects };
    },
  };
  return {
    check: (asked) => {
      if (kept.size === 0 || EXEMPT.has(asked.target.kind.resource.group)) return;
      const { denial, warnings } = admit(requestOf(asked, store), sources);
      for (const warning of warnings) asked.request.warn?.(warning);
      if (denial) throw refusalOf(denial, asked);
    },
  };
}

/** Nobody can lock himself out. */
const EXEMPT: ReadonlySet<string> = new Set(['admissionregistration.k8s.io']);

function requestOf({ operation, target, object, old, request }: Admitted, store: Store): AdmissionRequest {
  const { kind, namespace, subresource } = target;
  const { name: username, uid, groups, extra } = request.user;
  const isScale = request.through === 'scale';
  const shown = (each: typeof object) => each && asJson(isScale ? asScale(kind, each) : each);
  const [now, before] = [shown(object), shown(old)];
  const name = target.name ?? object?.metadata.name;
  const place = namespace && store.collection('namespaces').get(namespace);
  return {
    operation,
    resource: kind.resource,
    ...((subresource || isScale) && { subresource: subresource ?? 'scale' }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    ...(now && { object: now }),
    ...(before && { oldObject: before }),
    userInfo: { username, ...(uid && { uid }), groups, ...(extra && { extra }) },
    ...(place && { namespaceObject: asJson(place) }),
    dryRun: request.dryRun === true,
  };
}

function refusalOf({ message, cause, reason, code }: Denial, { target, object }: Admitted): Refusal {
  const { group, plural } = target.kind.resource;
  const name = target.name ?? object?.metadata.name ?? '';
  const details = { ...(name && { name }), ...(group && { group }), kind: plural, causes: [{ message: cause }] };
  return new Refusal({ code, reason, message, details });
}
