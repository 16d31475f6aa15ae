/**
 * When the template of a StatefulSet has to change. What the API server gives back has its own defaults in it and cannot be compared with
 * what was sent: so a hash of that is written beside it.
 */
import { createHash } from 'node:crypto';
import type { StatefulSet } from '../../api/stateful-sets.ts';
import { CONTAINER, type PvPool, TEMPLATE_ANNOTATION } from '../contract.ts';
import { podTemplateOf, type Security } from './pod-template.ts';

/** What has to be known of a StatefulSet that is there. */
export interface TemplateFacts {
  /** None on one that the original has made. */
  readonly mark: string | undefined;
  readonly image: string | undefined;
  readonly security: Security;
}

export function templateFactsOf({ metadata, spec }: StatefulSet): TemplateFacts {
  const pod = spec?.template?.spec;
  return {
    mark: metadata.annotations?.[TEMPLATE_ANNOTATION],
    image: pod?.containers?.find(({ name }) => name === CONTAINER)?.image,
    security: pod?.securityContext?.runAsNonRoot ? 'Restricted' : 'Image',
  };
}

/**
 * One that the original has made stays as it is until another image is asked for, or something that the original does not know. An image
 * that somebody has changed behind the pool's back is changed back.
 */
export function templateMustChange(pool: PvPool, facts: TemplateFacts): boolean {
  const { image, args, resources, securityContext, drain } = pool.spec;
  if (facts.image !== image) return true;
  if (facts.mark !== undefined) return facts.mark !== templateMarkOf(pool, securityOf(pool, facts));
  return [args, resources, securityContext, drain].some((said) => said !== undefined);
}

/** What runs as root has files of root: so a pool that is there stays as it is, unless it is asked for. */
export const securityOf = (pool: PvPool, facts?: TemplateFacts): Security =>
  pool.spec.securityContext ?? facts?.security ?? 'Restricted';

export const templateMarkOf = (pool: PvPool, security: Security): string =>
  createHash('sha256')
    .update(JSON.stringify(inOrder(podTemplateOf(pool, security))))
    .digest('hex')
    .slice(0, 16);

/** The order in which a person has written the fields of the spec says nothing. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}
