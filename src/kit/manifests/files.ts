/** Everything that is generated for a cluster, as the files that are kept of it. */
import { toYamlDocuments } from '../yaml.ts';
import type { ControllerSpec } from './controller-spec.ts';
import { type CustomResource, customResourceDefinition } from './crd.ts';
import { guardObjects } from './guards.ts';
import { type AgentAccount, admissionOf } from './node-limits.ts';
import { rolesOf, runtimeRoles } from './rbac.ts';
import { singletonObjects } from './singletons.ts';

export interface ManifestFile {
  /** Relative to where manifests are kept. */
  readonly path: string;
  readonly text: string;
}

const HEADER = '# Made by "holdfast manifests". Changes made here are lost.\n';

export const crdFiles = (resources: readonly CustomResource[]): readonly ManifestFile[] =>
  resources.map(customResourceDefinition).map((crd) => manifestFile(`crds/${crd.metadata.name}.yaml`, [crd]));

/** One file per name: the ClusterRole and the Role of a controller are kept together. */
export function rbacFiles(
  controllers: readonly ControllerSpec[],
  chosen: readonly string[] = [],
): readonly ManifestFile[] {
  const roles = [...runtimeRoles(), ...controllers.flatMap((each) => rolesOf(each, chosen))];
  const byName = Map.groupBy(roles, ({ metadata }) => metadata.name);
  return Array.from(byName, ([name, alike]) => manifestFile(`rbac/${name}.yaml`, alike));
}

/** Who the agents are. Roles are bound by whoever deploys; a policy has to name them. */
export interface Agents {
  readonly namespace: string;
  /** Otherwise each controller's is named as its roles are. */
  readonly serviceAccount?: string | undefined;
}

export const DEFAULT_AGENTS: Agents = { namespace: 'holdfast' };

/** The policies of a controller, each followed by what puts it in force. */
export function admissionObjects(
  { name, limits = [], guards = [], singletons = [] }: ControllerSpec,
  { namespace, serviceAccount }: Agents,
) {
  const role = `holdfast-${name}`;
  const account: AgentAccount = { namespace, name: serviceAccount ?? role };
  return [
    ...limits.flatMap((limit) => admissionOf(role, limit, account)),
    ...guards.flatMap((guard) => guardObjects(role, guard, account)),
    ...singletons.flatMap((each) => singletonObjects(role, each)),
  ];
}

export const admissionFiles = (controllers: readonly ControllerSpec[], agents: Agents): readonly ManifestFile[] =>
  controllers.flatMap((controller) => {
    const objects = admissionObjects(controller, agents);
    return objects.length > 0 ? [manifestFile(`admission/holdfast-${controller.name}.yaml`, objects)] : [];
  });

const manifestFile = (path: string, objects: readonly unknown[]): ManifestFile => ({
  path,
  text: `${HEADER}${toYamlDocuments(objects)}`,
});
