/** In which form a client wants to see objects: as they are, as rows of a table, or their metadata only. */
import type { ApiObject } from '../api-object.ts';
import type { Kind } from '../kinds/kind.ts';
import { PROTOBUF } from './protobuf.ts';
import type { Page } from './reads.ts';
import { badRequest, noSuchForm, notAcceptable, notInSandbox } from './refusals.ts';
import { partial, partialList, tableOf } from './table.ts';
import type { WatchEvent } from './watches.ts';

export interface Form {
  one(object: ApiObject): object;
  list(page: Page): object;
  events(batches: AsyncIterable<readonly WatchEvent[]>): AsyncIterable<readonly WatchEvent[]>;
}

/** The first of what a client accepts that the server has. */
export function formFor(kind: Kind, accept: string, query: URLSearchParams, now: () => Date): Form {
  if (accept === 'application/json') return asIs(kind);
  const [range] = acceptedIn(accept);
  if (range === undefined) throw notAcceptable(STREAMS);
  if (/^\s*application\/yaml/.test(range)) throw notInSandbox('answers in YAML');
  const as = /;\s*as=(\w+)/.exec(range)?.[1] ?? '';
  if (as === 'Table' && /;\s*v=(?!v1\b(?!beta))/.test(range)) throw notInSandbox('tables of an older version');
  if (as === 'Table') return asTable(kind, query, now);
  if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return asMetadata;
  if (as !== '' && acceptedIn(accept).every((each) => /;\s*as=/.test(each))) throw noSuchForm();
  return asIs(kind);
}

const STREAMS = ', application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
const SERVED: ReadonlySet<string> = new Set(['', '*/*', 'application/json', 'application/yaml', PROTOBUF]);

/** What of a client's wishes can be had. */
export const acceptedIn = (accept: string): readonly string[] =>
  accept.split(',').filter((range) => SERVED.has((range.split(';')[0] ?? '').trim()));

/** Built-in kinds stand in lists without their kind; lists of others also say that nothing more comes. */
const asIs = ({ isCustom }: Kind): Form => (isCustom ? CUSTOM : BUILT_IN);

const CUSTOM: Form = {
  one: (object) => object,
  list: (page) => ({ ...page, metadata: { continue: '', ...page.metadata } }),
  events: (batches) => batches,
};

const BUILT_IN: Form = {
  ...CUSTOM,
  list: (page) => ({ ...page, items: page.items.map(({ kind: _, apiVersion: _a, ...rest }) => rest) }),
};

const asMetadata: Form = {
  one: partial,
  list: ({ metadata, items }) => partialList(items, metadata),
  events: (batches) =>
    changed(batches, (event) => ({ ...event, object: partial(event.object as ApiObject) as ApiObject })),
};

function asTable(kind: Kind, query: URLSearchParams, now: () => Date): Form {
  const include = includedIn(query);
  const table = (objects: readonly ApiObject[], metadata: object, withColumns = true) =>
    tableOf(kind, objects, metadata, { now: now(), include, withColumns });
  const versionOf = ({ metadata: { resourceVersion } }: ApiObject) => (resourceVersion ? { resourceVersion } : {});
  return {
    one: (object) => table([object], versionOf(object)),
    list: ({ metadata, items }) => table(items, metadata),
    events: (batches) => {
      let isFirst = true;
      return changed(batches, ({ type, object }) => {
        const rows = table([object as ApiObject], versionOf(object as ApiObject), isFirst);
        isFirst = false;
        return { type, object: rows as ApiObject };
      });
    },
  };
}

function includedIn(query: URLSearchParams): 'Metadata' | 'Object' | 'None' {
  const include = query.get('includeObject') || 'Metadata';
  if (include === 'Metadata' || include === 'Object' || include === 'None') return include;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Errors are told as they are, whatever the form. */
async function* changed(
  batches: AsyncIterable<readonly WatchEvent[]>,
  change: (event: WatchEvent) => WatchEvent,
): AsyncGenerator<readonly WatchEvent[]> {
  for await (const batch of batches) yield batch.map((event) => (event.type === 'ERROR' ? event : change(event)));
}
