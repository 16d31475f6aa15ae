/** What an agent says, read as if it were hostile: whatever is not exactly as agreed makes the whole of it unknown. */
import type { Known } from '../kit/known.ts';
import { visible } from '../kit/visible.ts';
import { AGENT_STATES, type AgentState, type AgentStatus, type DrainStatus } from '../pool-client/protocol.ts';

/** Beyond this, the next generation could no longer be told from this one. */
const MOST = 2 ** 50;
const LONGEST_NAME = 253;
const LONGEST_WHY = 300;

class Fault extends Error {}

export function agentStatusOf(text: string): Known<AgentStatus> {
  return read(text, (object) => ({
    name: nameOf(object.name),
    total: count(object, 'total'),
    used: count(object, 'used'),
    state: stateOf(object.state),
    ...optional(object, 'blobs'),
    ...optional(object, 'bytes'),
    ...optional(object, 'generation'),
    ...optional(object, 'corrupt'),
    ...(object.drain !== undefined && object.drain !== null && { drain: drainOf(object.drain) }),
  }));
}

/** Whether a page of a listing has nothing, and nothing follows it. */
export function isEmptyPage(text: string): Known<boolean> {
  return read(text, ({ items, continue: next }) => {
    if (!Array.isArray(items)) throw new Fault('its listing has no items');
    return items.length === 0 && (next === undefined || next === null || next === '');
  });
}

function read<T>(text: string, parse: (object: Record<string, unknown>) => T): Known<T> {
  try {
    return { known: true, value: parse(objectOf(JSON.parse(text), 'its answer')) };
  } catch (error) {
    return { known: false, why: error instanceof Fault ? error.message : 'its answer is not JSON' };
  }
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Fault(`${what} is not an object`);
  return value as Record<string, unknown>;
}

function nameOf(value: unknown): string {
  if (typeof value !== 'string' || value.length > LONGEST_NAME) throw new Fault('it does not tell its name');
  return visible(value);
}

function stateOf(value: unknown): AgentState {
  const state = AGENT_STATES.find((one) => one === value);
  if (!state) throw new Fault('it tells no state that there is');
  return state;
}

function count(object: Record<string, unknown>, field: string): number {
  const value = object[field];
  if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) > MOST)
    throw new Fault(`its ${field} is not a number that can be`);
  return value as number;
}

const optional = (object: Record<string, unknown>, field: 'blobs' | 'bytes' | 'generation' | 'corrupt') =>
  object[field] === undefined || object[field] === null ? {} : { [field]: count(object, field) };

function drainOf(value: unknown): DrainStatus {
  const drain = objectOf(value, 'its drain');
  const { since, why } = drain;
  if (typeof since !== 'string' || Number.isNaN(Date.parse(since))) throw new Fault('its drain has no beginning');
  return {
    since: new Date(since).toISOString(),
    movedBlobs: count(drain, 'movedBlobs'),
    movedBytes: count(drain, 'movedBytes'),
    leftBlobs: count(drain, 'leftBlobs'),
    leftBytes: count(drain, 'leftBytes'),
    ...(typeof why === 'string' && why !== '' && { why: visible(why.slice(0, LONGEST_WHY)) }),
  };
}
