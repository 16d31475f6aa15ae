/** In which order the agents of a pool are asked for a key. */
import { createHash } from 'node:crypto';

/**
 * Rendezvous hashing: everyone who knows the same agents by the same names comes to the same order, and an agent that comes or goes
 * changes the places of no two others. So a blob that was stored before the pool grew is found by walking on.
 */
export function orderOf<T extends { readonly name: string }>(key: string, agents: readonly T[]): readonly T[] {
  return agents
    .map((agent) => ({ agent, weight: weightOf(key, agent.name) }))
    .toSorted((a, b) => Buffer.compare(b.weight, a.weight))
    .map(({ agent }) => agent);
}

const weightOf = (key: string, name: string): Buffer => createHash('sha256').update(`${name}\0${key}`).digest();
