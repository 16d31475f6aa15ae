/** Whether this process leads, under the name of client-go. */
import { Gauge, type Registry } from 'prom-client';

export type LeaderMetric = (leads: boolean) => void;

/** `name` is that of the Lease. */
export function leaderFamily(registry: Registry): (name: string) => LeaderMetric {
  const status = new Gauge({
    name: 'leader_election_master_status',
    help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
    labelNames: ['name'],
    registers: [registry],
  });
  return (name) => {
    status.set({ name }, 0);
    return (leads) => status.set({ name }, leads ? 1 : 0);
  };
}
