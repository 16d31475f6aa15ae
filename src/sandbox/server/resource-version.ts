/** How requests say which version of a collection they want to see. */
import { forbidden, notSupported } from '../schema/field-error.ts';
import { badRequest, invalid, type Refusal, tooLargeVersion } from './refusals.ts';
import { isTrue } from './verb.ts';

export type Wanted =
  | { readonly at: 'latest' }
  /** Whatever is at hand. */
  | { readonly at: 'any' }
  | { readonly at: 'notOlderThan' | 'exactly'; readonly revision: number };

/** What a list asks for. */
export function wantedVersion(query: URLSearchParams, current: number): Wanted {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  checkMatch(match, version, query);
  if (version === '') return { at: 'latest' };
  const revision = revisionIn(version, (why) => badRequest(`invalid resource version: ${why}`));
  if (revision > current) throw tooLargeVersion(revision, current);
  if (match === 'Exact') return { at: 'exactly', revision };
  // Without a word on it, a page that is not the first of a list at a version is of exactly that version.
  if (match === '' && query.has('limit') && revision > 0) return { at: 'exactly', revision };
  return revision === 0 ? { at: 'any' } : { at: 'notOlderThan', revision };
}

export function revisionIn(version: string, refuse: (why: string) => Refusal): number {
  if (/^\d{1,15}$/.test(version)) return Number(version);
  throw refuse(
    `resourceVersion: Invalid value: ${JSON.stringify(version)}: strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`,
  );
}

const LIST_OPTIONS = { group: 'meta.k8s.io', kind: 'ListOptions' };

function checkMatch(match: string, version: string, query: URLSearchParams): void {
  const faults = [];
  if (match !== '') {
    if (version === '')
      faults.push(
        forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
      );
    if (query.get('continue'))
      faults.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      faults.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && version === '0')
      faults.push(
        forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
  }
  if (query.has('sendInitialEvents'))
    faults.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  if (faults.length > 0) throw invalid(LIST_OPTIONS, '', faults);
}

/** A streamed list says so in a fixed way. Gives back whether it is one. */
export function wantsInitialEvents(query: URLSearchParams): boolean {
  const match = query.get('resourceVersionMatch') ?? '';
  const said = query.get('sendInitialEvents');
  const faults = [];
  if (said === null && match !== '')
    faults.push(
      forbidden(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    );
  if (said !== null && match !== 'NotOlderThan')
    faults.push(
      forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    );
  if (said !== null && match !== '' && match !== 'NotOlderThan')
    faults.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']));
  if (query.get('continue'))
    faults.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  if (faults.length > 0) throw invalid(LIST_OPTIONS, '', faults);
  return isTrue(said);
}
