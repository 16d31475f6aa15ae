/** Services, as far as our jobs make and look at them. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';

export interface Service extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly selector?: Readonly<Record<string, string>> | null;
    readonly ports?: readonly ServicePort[] | null;
  };
}

interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly targetPort?: number | string;
}

export const SERVICES: Resource<Service> = {
  group: '',
  version: 'v1',
  plural: 'services',
  kind: 'Service',
  namespaced: true,
};
