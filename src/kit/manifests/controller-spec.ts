/** What a controller says about itself: where it runs, what it reads and what it writes. Its rights are made from this and nothing else. */
import type { Resource } from '../kube/resource.ts';
import type { Guard } from './guards.ts';
import type { NodeLimit } from './node-limits.ts';
import type { Singleton } from './singletons.ts';

export interface ControllerSpec {
  /** As in `holdfast NAME`; its roles are named after it. */
  readonly name: string;
  /** Once for the whole cluster, or on every node. */
  readonly runs: 'cluster' | 'node';
  readonly reads: readonly Access<ReadVerb>[];
  readonly writes: readonly Access<WriteVerb>[];
  /** What RBAC cannot say of one that runs on every node: which of these objects are those of its own node. */
  readonly limits?: readonly NodeLimit[];
  /** What it alone may change of objects that others may write, too. */
  readonly guards?: readonly Guard[];
  /** Kinds of which a cluster has one object at most. */
  readonly singletons?: readonly Singleton[];
}

export type ReadVerb = 'get' | 'list' | 'watch';
type WriteVerb = 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';
export type Verb = ReadVerb | WriteVerb;

export interface Access<V extends Verb = Verb> {
  readonly resource: Resource;
  readonly verbs: readonly V[];
  /** Only this part of the object, such as `status`. */
  readonly subresource?: string;
  /**
   * Only in the namespace that the program runs in (`own`), only in namespaces that whoever deploys it chooses (`chosen`), or
   * everywhere, which is the default.
   */
  readonly scope?: 'own' | 'chosen' | 'cluster';
  /** Only objects of these names. Not for `create` and `list` and `watch` of all: those do not name an object. */
  readonly names?: readonly string[];
}

/** What a cache needs. To look at one object past the cache is another right. */
export const CACHED = ['list', 'watch'] as const satisfies readonly ReadVerb[];
