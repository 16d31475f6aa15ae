/** An Event of the API group events.k8s.io, made from what happened so that the API server takes it. Pure. */
import type { KubeObject, Resource } from '../kube/resource.ts';
import { dnsSubdomainFault } from '../names.ts';
import type { ObjectReference } from './reference.ts';

/** Something that people who look at an object should know. */
export interface Occurrence<Reason extends string = string> {
  /** What it is about. */
  readonly regarding: ObjectReference;
  /** Another object that plays a part in it. */
  readonly related?: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  /** Why, as one word that machines can switch on: `DeviceIsMounted`. */
  readonly reason: Reason;
  /** What was done or would have been done, as one word: `Wipe`. */
  readonly action: string;
  /** The sentence for people. */
  readonly note: string;
}

/** Who says so. */
export interface Reporter {
  readonly controller: string;
  readonly instance: string;
}

export interface EventObject extends KubeObject {
  readonly eventTime: string;
  readonly type: string;
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly series?: EventSeries;
}

/** That the same happened again, how often in all, and when last. */
export interface EventSeries {
  readonly count: number;
  readonly lastObservedTime: string;
}

export const EVENTS: Resource<EventObject> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};

/** The API server's limits, in bytes. */
const LONGEST = { note: 1024, reason: 128, action: 128, instance: 128 };

/** Cuts what is too long for the API server. */
export function fitted(occurrence: Occurrence): Occurrence {
  return {
    ...occurrence,
    reason: fit(occurrence.reason, LONGEST.reason),
    action: fit(occurrence.action || occurrence.reason, LONGEST.action),
    note: fit(occurrence.note, LONGEST.note),
  };
}

export const fittedInstance = (instance: string): string => fit(instance, LONGEST.instance);

/** The text, or as much of it as is no longer than so many bytes together with an ellipsis. No character is cut in two. */
export function fit(text: string, longest: number): string {
  const bytes = Buffer.from(text.slice(0, longest + 1).toWellFormed());
  if (bytes.length <= longest) return bytes.toString();
  let end = longest - Buffer.byteLength('…');
  while (end > 0 && isInsideCharacter(bytes[end])) end -= 1;
  return `${bytes.subarray(0, end)}…`;
}

const isInsideCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** What concerns the whole cluster is told in `default`, where `kubectl describe` looks for it. */
export const namespaceOf = ({ regarding }: Occurrence): string => regarding.namespace ?? 'default';

/** Two occurrences of one key are the same thing again. */
export const keyOf = (reporter: Reporter, { type, reason, action, note, regarding, related }: Occurrence): string =>
  JSON.stringify([
    reporter.controller,
    reporter.instance,
    type,
    reason,
    action,
    note,
    identity(regarding),
    related && identity(related),
  ]);

/** Of a whole object: the rate cap does not care what is said about it. */
export const objectKeyOf = (reporter: Reporter, { type, regarding }: Occurrence): string =>
  JSON.stringify([reporter.controller, reporter.instance, type, identity({ ...regarding, fieldPath: '' })]);

const identity = (ref: ObjectReference): readonly (string | undefined)[] => [
  ref.apiVersion,
  ref.kind,
  ref.namespace,
  ref.name,
  ref.uid,
  ref.fieldPath,
];

/** As client-go names them: the object's name and a number that is never used twice. Not every object's name is allowed for an Event. */
export function eventName({ name, kind }: ObjectReference, unique: bigint): string {
  const suffix = unique.toString(16);
  const usual = `${name}.${suffix}`;
  return dnsSubdomainFault(usual) === undefined ? usual : `${kind.toLowerCase()}.${suffix}`;
}

export function eventOf(
  occurrence: Occurrence,
  { controller, instance }: Reporter,
  told: { readonly name: string; readonly firstAt: Date; readonly series?: EventSeries | undefined },
): EventObject {
  return {
    metadata: { namespace: namespaceOf(occurrence), name: told.name },
    eventTime: microTime(told.firstAt),
    reportingController: controller,
    reportingInstance: instance,
    ...occurrence,
    ...(told.series && { series: told.series }),
  };
}

/** Kubernetes' MicroTime wants six digits. */
export const microTime = (time: Date): string => time.toISOString().replace('Z', '000Z');
