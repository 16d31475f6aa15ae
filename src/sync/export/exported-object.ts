/** Whether an object in an export is what it should be, as far as everything else depends on it: its kind, its name, and where that leads. */
import * as z from 'zod';
import { apiVersionOf, type KubeObject, type Resource } from '../../kit/kube/resource.ts';
import { dnsLabelFault, dnsSubdomainFault } from '../../kit/names.ts';
import { ExportIsUnreadable } from './unreadable.ts';

/** An object that certainly has a name; and a namespace, where its kind has one. */
export type Named<T extends KubeObject> = T & { readonly metadata: { readonly name: string } };

const texts = z.record(z.string(), z.string()).nullish();
const isName = (check: (value: string) => string | undefined) =>
  z.string().refine((value) => check(value) === undefined);

const OBJECT = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: isName(dnsSubdomainFault),
    namespace: isName(dnsLabelFault).optional(),
    uid: z.string().optional(),
    labels: texts,
    annotations: texts,
    finalizers: z.array(z.string()).nullish(),
    ownerReferences: z.array(z.looseObject({})).nullish(),
  }),
  spec: z.looseObject({}).optional(),
  status: z.looseObject({}).nullish(),
});

export function checkedObject<T extends KubeObject>(resource: Resource<T>, value: unknown): Named<T> {
  const { success, data, error } = OBJECT.safeParse(value);
  const { kind } = resource;
  if (!success) throw foreign(`a ${kind} in it is none: ${error.issues[0]?.path.join('.')} is not as it should be`);
  const isKind = data.kind === kind && data.apiVersion === apiVersionOf(resource);
  if (!isKind) throw foreign(`an object in its list of ${kind}s is something else`);
  const hasNamespace = data.metadata.namespace !== undefined;
  if (hasNamespace !== resource.namespaced) {
    throw foreign(`${kind} ${data.metadata.name} in it ${hasNamespace ? 'has a' : 'has no'} namespace`);
  }
  return value as Named<T>;
}

const foreign = (why: string) => new ExportIsUnreadable('exportIsForeign', `not an export: ${why}`);
