/** Events. They are one kind in two forms: the older of the core group, in which they are stored, and that of events.k8s.io. */
import { TOLD_EVENTS } from '../../api/events.ts';
import { type ApiObject, textAt, valueAt } from '../api-object.ts';
import { builtIn } from './built-in.ts';
import { ago, at, column, NAME, wide } from './columns.ts';
import type { Column } from './kind.ts';
import { CORE_EVENTS } from './resources.ts';
import { eventFaults } from './small-kind-faults.ts';

/** What the fields of the newer form are called in the older one. */
const OLDER_NAMES: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};
const NEWER_NAMES = Object.fromEntries(Object.entries(OLDER_NAMES).map(([newer, older]) => [older, newer]));

const renamed = (object: ApiObject, names: Readonly<Record<string, string>>, apiVersion: string): ApiObject => {
  const fields = Object.entries(object).map(([name, value]) => [names[name] ?? name, value]);
  return { ...Object.fromEntries(fields), metadata: object.metadata, apiVersion };
};

const newer = new WeakMap<ApiObject, ApiObject>();

/** The same one each time, so that what is made of it is made once. */
function inNewerForm(object: ApiObject): ApiObject {
  const known = newer.get(object) ?? renamed(object, NEWER_NAMES, 'events.k8s.io/v1');
  newer.set(object, known);
  return known;
}

const about = (field: string) => (object: ApiObject) => ({
  [`${field}.kind`]: textAt(object, field, 'kind'),
  [`${field}.namespace`]: textAt(object, field, 'namespace'),
  [`${field}.name`]: textAt(object, field, 'name'),
  [`${field}.uid`]: textAt(object, field, 'uid'),
  [`${field}.apiVersion`]: textAt(object, field, 'apiVersion'),
  [`${field}.resourceVersion`]: textAt(object, field, 'resourceVersion'),
  [`${field}.fieldPath`]: textAt(object, field, 'fieldPath'),
  reason: textAt(object, 'reason'),
  type: textAt(object, 'type'),
});

function lastSeen(object: ApiObject, now: Date): string {
  const time =
    textAt(object, 'series', 'lastObservedTime') || textAt(object, 'lastTimestamp') || textAt(object, 'eventTime');
  return ago(time, now);
}

const firstSeen = (object: ApiObject, now: Date): string =>
  ago(textAt(object, 'firstTimestamp') || textAt(object, 'eventTime'), now);

const subject = (object: ApiObject): string =>
  `${textAt(object, 'involvedObject', 'kind').toLowerCase()}/${textAt(object, 'involvedObject', 'name')}`;

function sourceOf(object: ApiObject): string {
  const component = textAt(object, 'source', 'component') || textAt(object, 'reportingComponent');
  const host = textAt(object, 'source', 'host');
  return host ? `${component}, ${host}` : component;
}

const countOf = (object: ApiObject): string =>
  `${valueAt(object, 'series', 'count') ?? (valueAt(object, 'count') || 1)}`;

/** Told of the older form. */
const COLUMNS: readonly Column[] = [
  column('Last Seen', lastSeen),
  column('Type', at('type')),
  column('Reason', at('reason')),
  column('Object', subject),
  wide('Subobject', at('involvedObject.fieldPath')),
  wide('Source', sourceOf),
  column('Message', (object) => textAt(object, 'message').trim()),
  wide('First Seen', firstSeen),
  wide('Count', countOf),
  { ...NAME, priority: 1 },
];

export const coreEvents = builtIn({
  resource: CORE_EVENTS,
  shortNames: ['ev'],
  createsOnUpdate: true,
  selectable: (object) => ({
    ...about('involvedObject')(object),
    source: textAt(object, 'source', 'component') || textAt(object, 'reportingComponent'),
    reportingComponent: textAt(object, 'reportingComponent'),
  }),
  columns: COLUMNS,
});

const inOlderForm = (object: ApiObject): ApiObject => renamed(object, OLDER_NAMES, 'v1');

export const toldEvents = builtIn({
  resource: TOLD_EVENTS,
  stored: { name: 'events', toStored: inOlderForm, fromStored: inNewerForm },
  shortNames: ['ev'],
  createsOnUpdate: true,
  faults: eventFaults,
  selectable: (object) => ({
    ...about('regarding')(object),
    reportingController: textAt(object, 'reportingController'),
  }),
  columns: COLUMNS.map((each) => ({ ...each, cell: (object, now) => each.cell(inOlderForm(object), now) })),
});
