/** What the last drill measured, as `holdfast sync drill` writes it on the resource. Whoever may annotate may write anything there. */
import * as z from 'zod';
import type { DrillResult } from './contract.ts';

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
