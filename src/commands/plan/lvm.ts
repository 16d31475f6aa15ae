/** What the agents of the lvm job do next, as they have reported it, and what nobody has begun yet. */
import type { LvmStatus, ShownState, VolumeStatus } from '../../lvm/status.ts';
import { type Page, type Text, toned, wide } from '../page/page.ts';
import { type Agents, agentsBlock } from '../reports/text.ts';
import { lvm as status } from '../status/lvm.ts';
import type { JobPlan } from './job-plan.ts';

export interface LvmPlan extends Agents {
  readonly steps: readonly LvmStep[];
  /** How many volumes stay as they are. */
  readonly untouched: number;
}

interface LvmStep {
  readonly node?: string | undefined;
  readonly volume: string;
  readonly size: string;
  readonly does: 'make' | 'go on' | 'remove' | 'wait' | 'retry' | 'refuse';
  readonly what: string;
  readonly code?: string | undefined;
}

export function lvmPlanOf({ nodes, nowhere, withoutReport, unreadable }: LvmStatus): LvmPlan {
  const all = [
    ...nodes.flatMap(({ node, volumes }) => volumes.map((volume) => stepOf(node, volume))),
    ...nowhere.map((volume) => stepOf(undefined, volume)),
  ];
  const steps = all.filter((step) => step !== undefined);
  const agents = nodes.map(({ node, remarks }) => ({ node, remarks }));
  return { steps, untouched: all.length - steps.length, nodes: agents, withoutReport, unreadable };
}

function stepOf(node: string | undefined, { volume, size, state }: VolumeStatus): LvmStep | undefined {
  if (state.is === 'ready') return undefined;
  const code = state.is === 'refused' ? { code: state.fact } : {};
  return { node, volume, size, does: DOES[state.is], what: inWords(state), ...code };
}

const DOES = {
  working: 'go on',
  removing: 'remove',
  waiting: 'wait',
  refused: 'refuse',
  failed: 'retry',
  unreported: 'make',
} as const satisfies Record<Exclude<ShownState['is'], 'ready'>, LvmStep['does']>;

function inWords(state: Exclude<ShownState, { is: 'ready' }>): string {
  switch (state.is) {
    case 'working':
      return `is being made: ${state.step}`;
    case 'removing':
      return `is being removed: ${state.step}${state.percent === undefined ? '' : `, ${state.percent} %`}`;
    case 'waiting':
      return `waits: ${state.why}`;
    case 'refused':
      return `would be refused: ${state.why}. ${state.remedy}.`;
    case 'failed':
      return `would be tried again, since it failed: ${state.why}`;
    case 'unreported':
      return `would be made when its agent gets to it: ${state.why}`;
  }
}

export const lvm: JobPlan<LvmPlan> = {
  job: 'lvm',
  look: async (visitor, where, terminal) => lvmPlanOf(await status.look(visitor, where, terminal)),
  page: planPage,
};

export function planPage(plan: LvmPlan): Page {
  const { steps, untouched } = plan;
  const stays = untouched === 1 ? '1 volume stays as it is' : `${untouched} volumes stay as they are`;
  return [
    {
      columns: ['NODE', 'VOLUME', 'SIZE', wide('ACTION'), wide('CODE'), 'PLAN'],
      rows: steps.map(({ node, volume, size, does, code, what }) => [
        node,
        volume,
        size,
        does,
        code,
        inTone(does, what),
      ]),
    },
    { sentences: [`${steps.length === 0 ? 'Nothing to do' : `${steps.length} to do`}; ${stays}.`] },
    agentsBlock('AGENTS THAT NEED A LOOK', 'lvm', plan),
  ];
}

const inTone = (does: LvmStep['does'], what: string): Text =>
  does === 'refuse' || does === 'retry' ? toned(what, 'bad') : what;
