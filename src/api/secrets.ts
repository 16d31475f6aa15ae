/** Secrets. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';

export interface Secret extends KubeObject {
  /** Each value in base64. */
  readonly data?: Readonly<Record<string, string>>;
}

export const SECRETS: Resource<Secret> = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
};
