/** The states of a reflector, what can happen to it, and where each happening leads. Pure. */
import { newer, type ResourceVersion } from './resource-version.ts';

export type ReflectorState =
  /** Nothing has been asked yet. */
  | { readonly is: 'idle' }
  /**
   * Asks for the whole collection: as a stream of events where the server offers it, in pages where it does not or where streams
   * break, and as one answer when pages expired before the last was read. What is held from before stays readable meanwhile.
   */
  | (Course & { readonly is: 'listing'; readonly how: ListMethod })
  /** In step with the server: everything up to `known` has been seen and further events follow as they happen. */
  | (Course & { readonly is: 'watching'; readonly known: ResourceVersion })
  /** The stream is gone. Before a new one is opened at `known`, the server is asked whether it has come that far itself. */
  | (Course & { readonly is: 'resuming'; readonly known: ResourceVersion })
  /** Waits before it goes on where `next` says, longer after each failure in a row, and at least as long as the server asked for. */
  | { readonly is: 'resting'; readonly next: Attempt; readonly why: string; readonly atLeastMs: number }
  /** The server does not let us read this collection, or does not have it. Lists anew, at first soon and then from time to time. */
  | { readonly is: 'denied'; readonly next: Attempt; readonly why: string }
  /** Ended for good. */
  | { readonly is: 'stopped' };

export type ListMethod = 'stream' | 'pages' | 'whole';

/** What is remembered of the way here. */
interface Course {
  /** Failures in a row. */
  readonly failures: number;
  /** Denials in a row. They count by themselves: a server that has just come up denies everything until it knows the roles. */
  readonly denials: number;
  /** How often the collection had to be listed anew, none of these lists having served for long. */
  readonly relists: number;
  /** False when the server does not offer lists as streams. */
  readonly streams: boolean;
}

export type Attempt = Extract<ReflectorState, { readonly is: 'listing' | 'resuming' }>;
type Active = Extract<ReflectorState, { readonly is: 'listing' | 'watching' | 'resuming' }>;

export type Happening =
  | { readonly what: 'started' }
  /** The whole collection has been received, as of `version`. */
  | { readonly what: 'complete'; readonly version: ResourceVersion }
  /** An event or a bookmark: everything up to `version` has been received. */
  | { readonly what: 'progress'; readonly version: ResourceVersion }
  /** The last list has served for long enough: what led to it is over. */
  | { readonly what: 'lasted' }
  /** The server has come at least as far as we have: the watch may be resumed. */
  | { readonly what: 'confirmed' }
  /** The server ended the stream in the ordinary way. */
  | { readonly what: 'ended' }
  /** The connection broke, or the server answered with an error that passes. */
  | { readonly what: 'failed'; readonly why: string; readonly retryAfterMs?: number | undefined }
  /** Nothing was heard for so long that the connection cannot be alive, whatever the kernel says. */
  | { readonly what: 'silent' }
  /** The server no longer remembers the version that we asked about. */
  | { readonly what: 'expired' }
  /** An event from the past that what we hold does not explain: order has been lost. */
  | { readonly what: 'disordered' }
  /** The server is at an older version than we are: it was restored from a backup, and nothing that we hold can be trusted. */
  | { readonly what: 'rewound' }
  /** The server does not offer lists as streams. */
  | { readonly what: 'streamRefused' }
  /** A list as a stream did not come to its end. Whatever cut it off may let pages through. */
  | { readonly what: 'streamBroke'; readonly why: string; readonly retryAfterMs?: number | undefined }
  | { readonly what: 'denied'; readonly why: string }
  | { readonly what: 'rested' }
  | { readonly what: 'stopped' };

export const idle: ReflectorState = { is: 'idle' };
const FIRST_LIST: Attempt = { is: 'listing', how: 'stream', failures: 0, denials: 0, relists: 0, streams: true };

export function after(state: ReflectorState, happening: Happening): ReflectorState {
  if (state.is === 'stopped' || happening.what === 'stopped') return { is: 'stopped' };
  switch (state.is) {
    case 'idle':
      return happening.what === 'started' ? FIRST_LIST : state;
    case 'resting':
    case 'denied':
      return happening.what === 'rested' ? state.next : state;
    default:
      return afterWork(state, happening);
  }
}

function afterWork(state: Active, happening: Happening): ReflectorState {
  switch (happening.what) {
    case 'complete':
      return { ...afterList(state), is: 'watching', known: happening.version };
    case 'progress':
      if (state.is !== 'watching') return state;
      return { ...state, failures: 0, denials: 0, known: newer(state.known, happening.version) };
    case 'lasted':
      return { ...state, relists: 0 };
    case 'confirmed':
      return state.is === 'resuming' ? { ...state, is: 'watching' } : state;
    case 'ended':
      return afterEnd(state);
    case 'failed':
      return rest(again(state), happening.why, happening.retryAfterMs);
    case 'silent':
      return rest(afterSilence(state), 'nothing was heard for too long');
    case 'expired':
      return rest(afterExpiry(state), 'the version expired');
    case 'disordered':
      return rest(listAnew(state), 'events came out of order');
    case 'rewound':
      return rest(listAnew(state), 'the server went back to an older version');
    case 'streamRefused':
      return { ...listing(state, 'pages'), streams: false };
    case 'streamBroke':
      return rest(inPages(state), happening.why, happening.retryAfterMs);
    case 'denied':
      return { is: 'denied', next: afterDenial(state), why: happening.why };
    default:
      return state;
  }
}

/** A list as a stream is a watch already. Pages do not prove that we may watch. */
function afterList(state: Active): Course {
  const denials = state.is === 'listing' && state.how === 'stream' ? 0 : state.denials;
  return { ...courseOf(state), failures: 0, denials };
}

/** What was denied may be another thing when it is given: a resource can be deleted and defined anew. */
const afterDenial = (state: Active): Attempt => ({
  ...listing(state, state.streams ? 'stream' : 'pages'),
  failures: 0,
  denials: state.denials + 1,
});

/** What to try next after a failure: a watch is resumed where it stood, and a list asked for as before, but not all of it at once. */
function again(state: Active): Attempt {
  const failures = state.failures + 1;
  if (state.is !== 'listing') return { ...state, is: 'resuming', failures };
  return { ...state, failures, how: state.how === 'whole' ? 'pages' : state.how };
}

/** A stream that brought something is followed at once by the next; a server that ends each one empty is not asked without pause. */
function afterEnd(state: Active): ReflectorState {
  const next = again(state);
  if (next.is === 'resuming' && state.failures === 0) return next;
  return rest(next, 'the stream ended before it brought anything');
}

/**
 * The silence was pause enough, and a server without bookmarks is silent in good health. One that knows nothing of streamed lists may
 * accept the request for one and never end it.
 */
const afterSilence = (state: Active): Attempt =>
  state.is === 'listing' ? { ...listing(state, 'pages'), streams: false } : { ...state, is: 'resuming', failures: 0 };

const inPages = (state: Active): Attempt => ({ ...listing(state, 'pages'), failures: state.failures + 1 });

/** Pages that expire before the last is read would do so again: all at once does not. */
const afterExpiry = (state: Active): Attempt =>
  state.is === 'listing' && state.how === 'pages'
    ? { ...listing(state, 'whole'), failures: state.failures + 1 }
    : listAnew(state);

/** Lists cost a server more than anything else that we ask for: those in a row come at longer and longer intervals. */
function listAnew(state: Active): Attempt {
  const relists = state.relists + 1;
  return { ...listing(state, state.streams ? 'stream' : 'pages'), relists, failures: relists };
}

const listing = (state: Active, how: ListMethod): Attempt => ({ ...courseOf(state), is: 'listing', how });

const courseOf = ({ failures, denials, relists, streams }: Active): Course => ({
  failures,
  denials,
  relists,
  streams,
});

const rest = (next: Attempt, why: string, atLeastMs = 0): ReflectorState => ({ is: 'resting', next, why, atLeastMs });
