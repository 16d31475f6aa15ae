/**
 * What drills measured: the last one as `holdfast sync drill` writes it on the resource, where whoever may annotate may write anything, and those before
 * it as the status has them.
 */
import * as z from 'zod';
import { type DrillResult, MOST_DRILLS, type SyncStatus } from './contract.ts';

const drill = z.object({
  at: z.iso.datetime(),
  seconds: z.number().min(0).max(1e7),
  volumes: z.int().min(0),
  claims: z.int().min(0),
  succeeded: z.boolean(),
  message: z.string().max(1024).optional(),
});

/** Nothing for what is none. */
export function drillOf(text: string | undefined): DrillResult | undefined {
  if (text === undefined) return undefined;
  try {
    const { message, ...result } = drill.parse(JSON.parse(text));
    return { ...result, ...(message !== undefined && { message }) };
  } catch {
    return undefined;
  }
}

/** Those that the status knows, oldest first. One of an older version knows only the last. */
export const drillsIn = ({ drills, lastDrill }: SyncStatus): readonly DrillResult[] =>
  drills ?? (lastDrill ? [lastDrill] : []);

/** With one more, unless it is among them; the oldest go. */
export const drillsWith = (status: SyncStatus, drill: DrillResult): readonly DrillResult[] =>
  [...drillsIn(status).filter(({ at }) => at !== drill.at), drill]
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .slice(-MOST_DRILLS);
