/** What this process remembers of a pool between two looks. It may be lost at any time: then orders are given again, and waits begin anew. */
import { inOneUnit, isCloseTo, type Sample, timeToFullMs, withSample } from './forecast.ts';
import { type Order, orderKey, type Plan } from './plan.ts';
import type { Pressure, Seen } from './seen.ts';
import { knownFill } from './status.ts';

export class PoolMemory {
  readonly uid: string;
  readonly #taken = new Map<string, string>();
  #samples: readonly Sample[] = [];
  #forecast: { readonly ms: number; readonly text: string } | undefined;
  #pressure: { readonly towards: Pressure['towards']; readonly since: number } | undefined;
  #movedBytes = new Map<string, number>();

  constructor(uid: string) {
    this.uid = uid;
  }

  get taken(): ReadonlyMap<string, string> {
    return this.#taken;
  }

  /** The agent in this pod has taken the order. */
  took(podUid: string, order: Order): void {
    this.#taken.set(podUid, orderKey(order));
  }

  pressureAt(now: number): Pressure | undefined {
    return this.#pressure && { towards: this.#pressure.towards, forMs: now - this.#pressure.since };
  }

  /** After each look. Pods that are gone are forgotten. */
  saw(seen: Seen, { pressure }: Plan, now: number): void {
    const pods = new Set(seen.members.map(({ pod }) => pod?.uid));
    for (const uid of this.#taken.keys()) if (!pods.has(uid)) this.#taken.delete(uid);
    for (const uid of this.#movedBytes.keys()) if (!pods.has(uid)) this.#movedBytes.delete(uid);
    if (pressure === undefined) this.#pressure = undefined;
    else if (this.#pressure?.towards !== pressure) this.#pressure = { towards: pressure, since: now };
    const fill = knownFill(seen);
    if (fill) this.#sample({ at: now, usedBytes: fill.usedBytes }, fill.capacityBytes);
  }

  /** As it was last told, until it is clearly another. */
  timeToFull(before: string | undefined): string | undefined {
    return this.#samples.length < 2 ? before : this.#forecast?.text;
  }

  /** How much the drains have moved since the last look. */
  moved(seen: Seen): number {
    let sum = 0;
    for (const { pod, agent } of seen.members) {
      const bytes = agent.known ? agent.value.drain?.movedBytes : undefined;
      if (pod === undefined || bytes === undefined) continue;
      sum += Math.max(0, bytes - (this.#movedBytes.get(pod.uid) ?? bytes));
      this.#movedBytes.set(pod.uid, bytes);
    }
    return sum;
  }

  #sample(sample: Sample, capacityBytes: number): void {
    this.#samples = withSample(this.#samples, sample);
    const ms = timeToFullMs(this.#samples, capacityBytes);
    if (ms === undefined) this.#forecast = undefined;
    else if (!this.#forecast || !isCloseTo(ms, this.#forecast.ms)) this.#forecast = { ms, text: inOneUnit(ms) };
  }
}
