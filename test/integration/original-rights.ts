/** The rights that an original's own manifest gives to its account. */
import type { PolicyRule } from '../harness/users.ts';
import { INSTALLED } from '../originals/originals.ts';

interface Rights {
  readonly clusterRules: readonly PolicyRule[];
  readonly namespaceRules: Readonly<Record<string, readonly PolicyRule[]>>;
}

/** Those of its Roles are in the given namespace, in the place of its own. */
export function rightsOfOriginal(original: keyof typeof INSTALLED, namespace = 'default'): Rights {
  const { objects } = INSTALLED[original];
  const rulesOf = (wanted: string) =>
    objects.filter(({ kind }) => kind === wanted).flatMap(({ rules }) => Object(rules));
  return { clusterRules: rulesOf('ClusterRole'), namespaceRules: { [namespace]: rulesOf('Role') } };
}
