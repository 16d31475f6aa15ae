/**
 * Which faults there are at a call, by what it asks of whom: only those that its caller can tell apart, so that no two cases are the same.
 * What comes before is the first word of its name: a method of the API, `STORE`, a verb of the machine, or anything that agents are asked.
 */
import type { CallFault } from './fault.ts';

const CRASHES: readonly CallFault[] = ['crash-before', 'crash-after'];

/** Wherever they are. */
export const ANYWHERE: readonly CallFault[] = [...CRASHES, 'timeout', 'pause'];

interface Kind {
  readonly calls: RegExp;
  readonly faults: readonly CallFault[];
  /** It changes nothing: a crash there is one after the call before, and a reply that is lost is a call that was never made. */
  readonly isRead?: true;
}

const API: readonly CallFault[] = ['too-many', 'internal', 'unavailable', 'timeout', 'reset', 'pause'];
/** What stands between us and a store has tried again by then: throttled, broken and reset are one answer. */
const STORE: readonly CallFault[] = ['unavailable', 'denied', 'not-found', 'timeout', 'pause'];
/** That a device fails, or takes its time. */
const MACHINE: readonly CallFault[] = ['fails', 'timeout', 'pause'];
/** Whoever does not answer with what was asked for is not known: 409, 500, 503 and a broken connection are one. */
const AGENT: readonly CallFault[] = ['fails', 'timeout', 'pause'];

const KINDS: readonly Kind[] = [
  { calls: /^(?:GET|WATCH) \//, faults: ['expired', ...API], isRead: true },
  { calls: /^(?:POST|PUT|PATCH|DELETE) \//, faults: ['conflict', ...API, 'lost-reply'] },
  { calls: /^STORE read /, faults: [...STORE, 'torn'], isRead: true },
  { calls: /^STORE (?:look at|list) /, faults: STORE, isRead: true },
  { calls: /^STORE write-if /, faults: [...STORE, 'conflict', 'lost-reply'] },
  { calls: /^STORE /, faults: [...STORE, 'lost-reply'] },
  { calls: /^look /, faults: [...MACHINE, 'killed'], isRead: true },
  { calls: /^exec /, faults: [...MACHINE, 'killed', 'lost-reply'] },
  {
    calls:
      /^(?:find-program|table\.\S+|file\.(?:l?stat|readlink|realpath|read|list|watch)|device\.(?:open|facts|read)) /,
    faults: MACHINE,
    isRead: true,
  },
  { calls: /^(?:file|device)\./, faults: [...MACHINE, 'lost-reply'] },
  { calls: /^(?:ASK|LIST|FIND) /, faults: AGENT, isRead: true },
];

const OF_AN_AGENT: Omit<Kind, 'calls'> = { faults: [...AGENT, 'lost-reply'] };

const kindOf = (call: string): Omit<Kind, 'calls'> => KINDS.find(({ calls }) => calls.test(call)) ?? OF_AN_AGENT;

export const faultsAt = (call: string): readonly CallFault[] => kindOf(call).faults;

/** Around what changes something. */
export const crashesAt = (call: string): readonly CallFault[] => (kindOf(call).isRead ? [] : CRASHES);
