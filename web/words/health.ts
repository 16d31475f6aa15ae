/** The words for health, one for each everywhere, and the order in which trouble is told. */
import type { Health } from '../../src/console/model.ts';

export const HEALTH_WORDS: Readonly<Record<Health, string>> = {
  failed: 'Failed',
  attention: 'Needs attention',
  unknown: 'Unknown',
  busy: 'Busy',
  well: 'Well',
};

/** Worst first. */
export const HEALTHS: readonly Health[] = ['failed', 'attention', 'unknown', 'busy', 'well'];

export const severity = (health: Health): number => HEALTHS.indexOf(health);
