/** The names of the five jobs, in the order in which people are told of them. */
export const JOBS = ['topology', 'devices', 'lvm', 'pool', 'sync'] as const;

export type Job = (typeof JOBS)[number];

export const isJob = (name: string): name is Job => JOBS.some((job) => job === name);
