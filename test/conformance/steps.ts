/**
 * What a case asks of a server, step by step. A path without a slash in front is one of the case's own namespace, or of a
 * cluster-wide resource (paths.ts). `{case}` stands for the case's namespace and `{2.metadata.uid}` for what the second step was
 * answered with, in paths, headers and bodies alike.
 */
import type { TransportRequest } from '../../src/kit/kube/transport.ts';

type Method = TransportRequest['method'];
type Headers = Readonly<Record<string, string>>;

export interface Request {
  readonly does: 'ask';
  readonly method: Method;
  readonly path: string;
  readonly headers: Headers;
  /** Text is sent as it is, all else as JSON. */
  readonly body?: unknown;
  /** Asked again until it is answered like this: some things take a real server a moment. */
  readonly until?: Until;
}

export interface Watch {
  readonly does: 'watch';
  readonly path: string;
  readonly headers: Headers;
  /** How many events to wait for, when all steps are done. */
  readonly events: number;
}

export type Step = Request | Watch;

/** A status, or a text that the answer has somewhere. */
export type Until = number | string;

/** Cases by the sentence that says what they show. */
export type Cases = Readonly<Record<string, readonly Step[]>>;

export interface Topic {
  /** Done once, before the first case, and compared as well. */
  readonly first?: readonly Step[];
  readonly cases: Cases;
}

const ask = (method: Method, path: string, body?: unknown, headers: Headers = {}): Request => ({
  does: 'ask',
  method,
  path,
  headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  ...(body !== undefined && { body }),
});

export const get = (path: string, headers?: Headers): Request => ask('GET', path, undefined, headers);
export const post = (path: string, body: unknown, headers?: Headers): Request => ask('POST', path, body, headers);
export const put = (path: string, body: unknown, headers?: Headers): Request => ask('PUT', path, body, headers);
export const remove = (path: string, options?: object): Request => ask('DELETE', path, options);

const patch = (type: string) => (path: string, body: unknown) =>
  ask('PATCH', path, body, { 'content-type': `application/${type}` });

export const mergePatch = patch('merge-patch+json');
export const jsonPatch = patch('json-patch+json');
export const strategicPatch = patch('strategic-merge-patch+json');
/** The path says the field manager, and whether it insists. */
export const apply = patch('apply-patch+yaml');
export const patchAs = (type: string, path: string, body: unknown): Request =>
  ask('PATCH', path, body, { 'content-type': type });

export const watch = (path: string, events: number): Watch => ({ does: 'watch', path, events, headers: {} });

/** With this token instead of the admin's. */
export const as = <S extends Step>(token: string, step: S): S => ({
  ...step,
  headers: { ...step.headers, authorization: `Bearer ${token}` },
});
