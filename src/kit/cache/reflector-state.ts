/** The states of a reflector, what can happen to it, and where each happening leads. Pure. */
import { newer, type ResourceVersion } from './resource-version.ts';

export type ReflectorState =
  /** Nothing has been asked yet. */
  | { readonly is: 'idle' }
  /**
   * Asks for the whole collection: as a stream of events where the server offers it, in pages where it does not, and as one
   * answer when pages expired before the last was read. What is held from before stays readable meanwhile.
   */
  | {
      readonly is: 'listing';
      readonly how: ListMethod;
      readonly failures: number;
      readonly known: ResourceVersion | undefined;
    }
  /** In step with the server: everything up to `known` has been seen and further events follow as they happen. */
  | { readonly is: 'watching'; readonly how: ListMethod; readonly failures: number; readonly known: ResourceVersion }
  /** The stream is gone. Before a new one is opened at `known`, the server is asked whether it has come that far itself. */
  | { readonly is: 'resuming'; readonly how: ListMethod; readonly failures: number; readonly known: ResourceVersion }
  /** Waits before it goes on where `next` says, longer after each failure in a row, and at least as long as the server asked for. */
  | { readonly is: 'resting'; readonly next: Attempt; readonly why: string; readonly atLeastMs: number }
  /** The server does not let us read this collection, or does not have it. Asks again from time to time. */
  | { readonly is: 'denied'; readonly next: Attempt; readonly why: string }
  /** Ended for good. */
  | { readonly is: 'stopped' };

export type ListMethod = 'stream' | 'pages' | 'whole';
export type Attempt = Extract<ReflectorState, { readonly is: 'listing' | 'resuming' }>;
type Active = Extract<ReflectorState, { readonly is: 'listing' | 'watching' | 'resuming' }>;

export type Happening =
  | { readonly what: 'started' }
  /** The whole collection has been received, as of `version`. */
  | { readonly what: 'complete'; readonly version: ResourceVersion }
  /** An event or a bookmark: everything up to `version` has been received. */
  | { readonly what: 'progress'; readonly version: ResourceVersion }
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
  | { readonly what: 'denied'; readonly why: string }
  | { readonly what: 'rested' }
  | { readonly what: 'stopped' };

export const idle: ReflectorState = { is: 'idle' };

export function after(state: ReflectorState, happening: Happening): ReflectorState {
  if (state.is === 'stopped' || happening.what === 'stopped') return { is: 'stopped' };
  switch (state.is) {
    case 'idle':
      return happening.what === 'started' ? { is: 'listing', how: 'stream', failures: 0, known: undefined } : state;
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
      return { is: 'watching', how: state.how, failures: 0, known: happening.version };
    case 'progress':
      if (state.is !== 'watching') return state;
      return { ...state, failures: 0, known: newer(state.known, happening.version) };
    case 'confirmed':
      return state.is === 'resuming' ? { ...state, is: 'watching' } : state;
    case 'ended':
      return afterEnd(state);
    case 'failed':
      return rest(again(state), happening.why, happening.retryAfterMs);
    case 'silent':
      return rest(again(withoutStream(state)), 'nothing was heard for too long');
    case 'expired':
      return rest(
        listAnew(state.how === 'pages' && state.is === 'listing' ? 'whole' : state.how, state),
        'the version expired',
      );
    case 'disordered':
      return rest(listAnew(state.how, state), 'events came out of order');
    case 'rewound':
      return { ...listAnew(state.how, state), failures: 0 };
    case 'streamRefused':
      return { ...listAnew('pages', state), failures: state.failures };
    case 'denied':
      return { is: 'denied', next: again(state), why: happening.why };
    default:
      return state;
  }
}

/** What to try next after a failure: what was tried before, and a watch is resumed where it stood. */
function again(state: Active): Attempt {
  const failures = state.failures + 1;
  if (state.is === 'listing') return { ...state, failures };
  return { ...state, is: 'resuming', failures };
}

/** A stream that brought something is followed at once by the next; a server that ends each one empty is not asked without pause. */
function afterEnd(state: Active): ReflectorState {
  const next = again(state);
  if (next.is === 'resuming' && state.failures === 0) return next;
  return rest(next, 'the stream ended before it brought anything');
}

const listAnew = (how: ListMethod, state: Active): Attempt => ({
  is: 'listing',
  how,
  failures: state.failures + 1,
  known: state.known,
});

/** A server that knows nothing of streamed lists may accept the request and never end it. */
const withoutStream = (state: Active): Active =>
  state.is === 'listing' && state.how === 'stream' ? { ...state, how: 'pages' } : state;

const rest = (next: Attempt, why: string, atLeastMs = 0): ReflectorState => ({ is: 'resting', next, why, atLeastMs });
