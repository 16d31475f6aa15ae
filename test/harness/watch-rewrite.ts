/** Watch streams that repeat, reorder, hide or delay events: what a client must survive, since real ones do it. */

/** One line of a watch stream per element, without the line break. A stream that returns ends properly. */
export type EventRewrite = (events: AsyncIterable<string>) => AsyncIterable<string>;

export const everyEventTwice: EventRewrite = async function* (events) {
  for await (const event of events) {
    yield event;
    yield event;
  }
};

/** 2 1 4 3 …: each odd event waits for its successor. */
export const pairsSwapped: EventRewrite = async function* (events) {
  let held: string | undefined;
  for await (const event of events) {
    if (held === undefined) {
      held = event;
      continue;
    }
    yield event;
    yield held;
    held = undefined;
  }
  if (held !== undefined) yield held;
};

/** After `count` events the whole stream so far comes once more, as after a reconnect to a lagging server. */
export function replayedAfter(count: number): EventRewrite {
  return async function* (events) {
    const past: string[] = [];
    for await (const event of events) {
      yield event;
      past.push(event);
      if (past.length === count) yield* past;
    }
  };
}

export function withoutEvents(hidden: (event: { type: string; object: unknown }) => boolean): EventRewrite {
  return async function* (events) {
    for await (const event of events) if (!hidden(JSON.parse(event))) yield event;
  };
}

/** Nothing comes until the promise is settled, then everything. */
export function heldBack(until: Promise<unknown>): EventRewrite {
  return async function* (events) {
    await until;
    yield* events;
  };
}

/** After `count` events the server says that the history is gone, inside the stream, and ends it. */
export function expiredAfter(count: number): EventRewrite {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 };
  const message = 'too old resource version';
  return async function* (events) {
    yield* firstOf(events, count);
    yield JSON.stringify({ type: 'ERROR', object: { ...status, message } });
  };
}

async function* firstOf(events: AsyncIterable<string>, count: number): AsyncIterable<string> {
  let passed = 0;
  if (count === 0) return;
  for await (const event of events) {
    yield event;
    if (++passed === count) return;
  }
}
