/** What people may do in a console: each checked against what they were shown, done with their own rights, and written into the log. */
import * as z from 'zod';
import { approvable, approvalFor, giveApproval } from '../devices/approving.ts';
import { sleep } from '../kit/clock/clock.ts';
import { refOf } from '../kit/kube/resource.ts';
import type { Log } from '../kit/observe/log.ts';
import { visible } from '../kit/visible.ts';
import { CANCEL_ANNOTATION, FIELD_MANAGER, PV_POOLS } from '../pool/contract.ts';
import type { ConsoleCluster } from './cluster.ts';
import type { Caller } from './door.ts';
import { holdDrill } from './drilling.ts';
import type { ActionName, ActionResult, ConfirmedAction } from './model.ts';
import { type Offer, offerOf } from './offers.ts';
import { done, failed, whyNothing } from './results.ts';
import { visibleTo } from './rights.ts';

export const ACTIONS = ['approve-wipe', 'start-drill', 'cancel-drain'] as const satisfies readonly ActionName[];

const confirmed = z.object({
  name: z.enum(ACTIONS),
  to: z.record(z.string().max(50), z.string().max(1_000)),
  label: z.string().max(1_000),
  consequence: z.string().max(10_000),
  confirmBy: z.string().max(1_000).optional(),
  confirmed: z.union([z.literal(true), z.string().max(1_000)]),
});

/** What was sent, or a sentence that says what is wrong with it. */
export function parseAction(text: string): ConfirmedAction | { readonly fault: string } {
  try {
    const { confirmBy, ...action } = confirmed.parse(JSON.parse(text));
    return { ...action, ...(confirmBy !== undefined && { confirmBy }) };
  } catch {
    return { fault: 'What was sent is no action of this console.' };
  }
}

export interface ActionsOptions {
  readonly log: Log;
  /** Different every time. */
  readonly id: () => string;
}

/** How long a person waits for a drill before they are told that it goes on. */
const WAIT_MS = 10_000;

export class Actions implements AsyncDisposable {
  readonly #options: ActionsOptions;
  readonly #stop = new AbortController();
  /** Drills that run, by cluster. */
  readonly #drills = new Map<string, Promise<ActionResult>>();

  constructor(options: ActionsOptions) {
    this.#options = options;
  }

  /** A drill that runs is given up, and takes its copies away first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#drills.values());
  }

  /** Never throws: how it ended is what it gives back. */
  async act(cluster: ConsoleCluster, caller: Caller, action: ConfirmedAction): Promise<ActionResult> {
    const audit = this.#options.log.child({
      audit: true,
      user: visible(caller.user),
      cluster: cluster.name,
      action: action.name,
      to: action.to,
    });
    const result = await this.#judged(cluster, caller, action, audit);
    audit[result.succeeded ? 'info' : 'warn']({ succeeded: result.succeeded }, visible(result.sentence));
    return result;
  }

  async #judged(cluster: ConsoleCluster, caller: Caller, action: ConfirmedAction, audit: Log): Promise<ActionResult> {
    const offer = offerOf(cluster, visibleTo(caller.rights, cluster.parts), action);
    if (!offer) return failed('nothing was done: what was shown is no longer so. Look again');
    const { confirmBy } = offer.action;
    if (confirmBy !== undefined && action.confirmed !== confirmBy)
      return failed(`nothing was done: it has to be confirmed by typing ${confirmBy}`);
    try {
      return await this.#carriedOut(cluster, caller, offer, audit);
    } catch (error) {
      return failed(whyNothing(error));
    }
  }

  #carriedOut(cluster: ConsoleCluster, caller: Caller, offer: Offer, audit: Log): Promise<ActionResult> {
    switch (offer.does) {
      case 'approve-wipe':
        return this.#approve(cluster, caller, offer);
      case 'cancel-drain':
        return this.#cancel(caller, offer);
      case 'start-drill':
        return this.#drill(cluster, caller, offer, audit);
    }
  }

  async #approve(cluster: ConsoleCluster, { client }: Caller, offer: Offered<'approve-wipe'>): Promise<ActionResult> {
    const { node, reported, standing } = offer;
    const device = approvable(node, standing);
    const approval = approvalFor(device, { id: this.#options.id(), at: cluster.clock.now() });
    const before = await giveApproval({ client, signal: this.#stop.signal }, { node, device, approval, reported });
    return before === 'already'
      ? done(`it is approved already, and the agent of ${node} has not reported since`)
      : done(`approved: the agent of ${node} wipes ${device.path}, and makes the volume ${device.volume} of it`);
  }

  async #cancel({ client }: Caller, { pool, seen }: Offered<'cancel-drain'>): Promise<ActionResult> {
    const patch = { metadata: { annotations: { [CANCEL_ANNOTATION]: 'true' } } };
    const options = { preconditions: seen, fieldManager: `${FIELD_MANAGER}-console`, signal: this.#stop.signal };
    await client.mergePatch(PV_POOLS, refOf(pool), patch, options);
    return done(`the operator is told to give the drain of ${pool} up`);
  }

  async #drill(
    cluster: ConsoleCluster,
    { client }: Caller,
    { sync }: Offered<'start-drill'>,
    audit: Log,
  ): Promise<ActionResult> {
    if (this.#drills.has(cluster.name)) return failed('nothing was done: a drill runs already');
    const running = holdDrill(cluster, client, sync, this.#stop.signal).finally(() =>
      this.#drills.delete(cluster.name),
    );
    this.#drills.set(cluster.name, running);
    const late = sleep(cluster.clock, WAIT_MS, this.#stop.signal).then(
      () => undefined,
      () => undefined,
    );
    const result = await Promise.race([running, late]);
    if (result) return result;
    running.then(
      (end) => audit[end.succeeded ? 'info' : 'warn']({ succeeded: end.succeeded }, visible(end.sentence)),
      (err) => audit.warn({ err, succeeded: false }, 'the drill has failed'),
    );
    return done('the drill goes on; how it ended will be in the timeline, and in the log');
  }
}

type Offered<Name extends ActionName> = Extract<Offer, { does: Name }>;
