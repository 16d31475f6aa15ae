/** What the commands have to know of a job to show what it would do next. */
import type { Job } from '../jobs.ts';
import type { Terminal } from '../line/command.ts';
import type { Page } from '../page/page.ts';
import type { Where } from '../reports/read.ts';
import type { TimedVisitor } from '../visit.ts';

export interface JobPlan<Plan> {
  readonly job: Job;
  readonly look: (visitor: TimedVisitor, where: Where, terminal: Terminal) => Promise<Plan>;
  readonly page: (plan: Plan) => Page;
}
