import { type Cases, put } from '../steps.ts';

const about = { kind: 'ConfigMap', apiVersion: 'v1', name: 'a', namespace: '{case}', uid: '1' };

const old = (name: string, fields: object = {}): object => ({
  metadata: { name },
  involvedObject: about,
  reason: 'Seen',
  message: 'a sentence',
  type: 'Normal',
  source: { component: 'a' },
  firstTimestamp: '2001-01-01T00:00:00Z',
  lastTimestamp: '2001-01-01T00:00:00Z',
  count: 1,
  ...fields,
});

/** Events, by their two names. */
export const events: Cases = {
  'an event is created by an update': [put('events/a', old('a'))],
};
