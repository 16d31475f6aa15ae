/** What the agents of the devices job would do next, as they have reported it. */
import { type Plan, planPage, reportedPlan } from '../devices/plan.ts';
import type { JobPlan } from './job-plan.ts';

export const devices: JobPlan<Plan> = { job: 'devices', look: reportedPlan, page: planPage };
