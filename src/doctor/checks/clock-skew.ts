/** Whether the clock here and that of the API server agree. Leases, tokens and the age of reports depend on it. */

import { isSandboxVersion } from '../../api/sandbox-version.ts';
import { leastSkew, skewOf } from '../../kit/clock/skew.ts';
import { inUnits } from '../../kit/in-words.ts';
import type { Cluster } from '../cluster.ts';
import { type Check, type Finding, unknown, verdictOn } from '../finding.ts';

/** A lease is held for 15 seconds: half of that is too much already. */
const ERROR_MS = 7_500;
const WARNING_MS = 2_000;
/** An answer that was under way for longer tells nothing. */
const SLOW_MS = 5_000;

export const clocksAgree: Check<Cluster> = {
  name: 'clock-skew',
  judge({ clock, server }) {
    if (server.known && isSandboxVersion(server.value))
      return verdictOn([], 'a sandbox has a clock of its own, which may run faster');
    if (!clock.known) return unknown(clock.why);
    const skew = skewOf(clock.value);
    if (!skew) return unknown('the API server did not say what time it is');
    const tripMs = clock.value.receivedMs - clock.value.sentMs;
    const least = leastSkew(skew);
    if (tripMs > SLOW_MS && Math.abs(least) < WARNING_MS)
      return unknown(`the answer took ${inUnits(tripMs)}, which is too long to compare clocks by`);
    return verdictOn(
      Math.abs(least) < WARNING_MS ? [] : [skewed(least)],
      `the clocks differ by less than ${Math.ceil(Math.max(Math.abs(skew.fromMs), Math.abs(skew.toMs)) / 1000)} s, as far as an answer of ${Math.round(tripMs)} ms can tell`,
    );
  },
};

const skewed = (least: number): Finding => ({
  severity: Math.abs(least) >= ERROR_MS ? 'error' : 'warning',
  subject: 'clock of this machine',
  evidence: `it is at least ${inUnits(Math.abs(least))} ${least > 0 ? 'behind' : 'ahead of'} the clock of the API server`,
  remedy: 'Let both be set by NTP: look at timedatectl here and on the control plane',
});
