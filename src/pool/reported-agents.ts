/** The agents of a pool as its operator has reported them: for whoever has no token to ask them, or does not reach them. */

import type { Known } from '../kit/known.ts';
import type { AgentStatus } from '../pool-client/protocol.ts';
import type { Agents } from './agents.ts';
import type { PvPool } from './contract.ts';

/** Each is taken to hold as much as the others do. */
export function agentsAsReported({ status = {} }: PvPool): Pick<Agents, 'status' | 'isEmpty'> {
  const { podsInfo = [], capacityBytes = 0, usedBytes = 0 } = status;
  const share = (bytes: number): number => bytes / Math.max(1, podsInfo.length);
  return {
    async status({ name }): Promise<Known<AgentStatus>> {
      const info = podsInfo.find(({ podName }) => podName === name);
      if (!info) return { known: false, why: 'the operator has not reported it' };
      const [total, used] = [share(capacityBytes), share(usedBytes)];
      return { known: true, value: { name, total, used, bytes: used, state: info.podStatus } };
    },
    isEmpty: async () => ({ known: false, why: 'it is not asked from here' }),
  };
}
