/** What people may do in a console: each checked against what they were shown, done with their own rights, and written into the log. */

import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { approvable, approvalFor, giveApproval } from '../devices/approving.ts';
import { sleep } from '../kit/clock/clock.ts';
import { hasReason } from '../kit/kube/api-error.ts';
import type { Log } from '../kit/observe/log.ts';
import { visible } from '../kit/visible.ts';
import { CANCEL_ANNOTATION, FIELD_MANAGER, PV_POOLS } from '../pool/contract.ts';
import { drill, noteDrill } from '../sync/recover/drill.ts';
import { drillCopies } from '../sync/recover/drill-copies.ts';
import { believed } from '../sync/recover/look-up.ts';
import type { ConsoleCluster } from './cluster.ts';
import type { Caller } from './door.ts';
import type { Action, ActionName, ActionResult, ConfirmedAction } from './model.ts';
import { NO_STORE } from './recovery-plan.ts';
import { visibleTo } from './rights.ts';
import { sentence } from './shown.ts';

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
const DRILL_PATIENCE_MS = 300_000;

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
    const offered = offeredNow(cluster, caller, action);
    if (!offered) return failed('nothing was done: this is not as it was shown any more. Look at it again');
    if (offered.confirmBy !== undefined && action.confirmed !== offered.confirmBy)
      return failed(`nothing was done: it has to be confirmed by typing ${offered.confirmBy}`);
    try {
      return await this.#carriedOut(cluster, caller, offered, audit);
    } catch (error) {
      return failed(whyOf(error));
    }
  }

  #carriedOut(cluster: ConsoleCluster, caller: Caller, action: Action, audit: Log): Promise<ActionResult> {
    switch (action.name) {
      case 'approve-wipe':
        return this.#approve(cluster, caller, action.to);
      case 'cancel-drain':
        return this.#cancel(cluster, caller, action.to);
      case 'start-drill':
        return this.#drill(cluster, caller, action.to, audit);
    }
  }

  async #approve(cluster: ConsoleCluster, { client }: Caller, to: Action['to']): Promise<ActionResult> {
    const { node = '', volume = '' } = to;
    const reports = [...cluster.views.reports.values()].flatMap((each) =>
      each.job === 'devices' && each.report.node === node ? [each] : [],
    );
    const [reported, ...others] = reports;
    if (!reported || others.length > 0) return failed(`there is not exactly one report on ${node}`);
    const standing = reported.report.devices.find((each) => each.volume === volume);
    if (!standing) return failed(`${node} has no device ${volume} any more`);
    const device = approvable(node, standing);
    const approval = approvalFor(device, { id: this.#options.id(), at: cluster.clock.now() });
    const before = await giveApproval({ client, signal: this.#stop.signal }, { node, device, approval, reported });
    return before === 'already'
      ? done(`it is approved already, and the agent of ${node} has not reported since`)
      : done(`approved: the agent of ${node} wipes ${device.path}, and makes the volume ${volume} of it`);
  }

  async #cancel(cluster: ConsoleCluster, { client }: Caller, to: Action['to']): Promise<ActionResult> {
    const { namespace = '', pool = '' } = to;
    const key = `${namespace}/${pool}`;
    const preconditions = cluster.views.pools.identityOf(key);
    if (!preconditions) return failed(`there is no pool ${key} any more`);
    const patch = { metadata: { annotations: { [CANCEL_ANNOTATION]: 'true' } } };
    const options = { preconditions, fieldManager: `${FIELD_MANAGER}-console`, signal: this.#stop.signal };
    await client.mergePatch(PV_POOLS, { namespace, name: pool }, patch, options);
    return done(`the operator is told to give the drain of ${key} up`);
  }

  async #drill(cluster: ConsoleCluster, caller: Caller, to: Action['to'], audit: Log): Promise<ActionResult> {
    if (this.#drills.has(cluster.name)) return failed('a drill runs already');
    const running = this.#held(cluster, caller, to.sync ?? '').finally(() => this.#drills.delete(cluster.name));
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
    return done('the drill goes on; how it ended is shown in the timeline');
  }

  async #held(cluster: ConsoleCluster, { client }: Caller, syncName: string): Promise<ActionResult> {
    const { clock, store } = cluster;
    const sync = cluster.views.syncs.get(syncName);
    if (!sync) return failed(`there is no sync ${syncName} any more`);
    if (!store) return failed(NO_STORE);
    const { signal } = this.#stop;
    const opened = await store.open(sync.spec.cloudProvider);
    try {
      const { document, outline, key } = await believed({ sync, store: opened, keys: store.keys(), clock }, signal);
      const id = clock.now().getTime().toString(36);
      const copies = drillCopies({ document, outline, spec: sync.spec, sync: syncName }, id);
      const parts = { client, clock, patienceMs: DRILL_PATIENCE_MS, dryRun: false, progress: () => {} };
      const result = await drill(copies, id, parts, signal);
      await noteDrill(client, sync, result, signal);
      const { succeeded, seconds, volumes, claims, message } = result;
      const what = `a restore of ${volumes} volumes and ${claims} claims of ${key}`;
      return succeeded ? done(`${what} took ${seconds} s`) : failed(`${what} failed after ${seconds} s: ${message}`);
    } finally {
      await opened.close();
    }
  }
}

const done = (text: string): ActionResult => ({ succeeded: true, sentence: sentence(text) });
const failed = (text: string): ActionResult => ({ succeeded: false, sentence: sentence(text) });

function whyOf(error: unknown): string {
  if (hasReason(error, 'Conflict')) return 'nothing was done: somebody else has changed it meanwhile. Look at it again';
  if (hasReason(error, 'Forbidden')) return `nothing was done: you may not do that (${error.detail})`;
  return error instanceof Error ? error.message : String(error);
}

/** The same action as it is offered to this caller now; nothing if it is not. What a page sends is not believed. */
function offeredNow(cluster: ConsoleCluster, { rights }: Caller, sent: ConfirmedAction): Action | undefined {
  const { nodes, pools, syncs } = visibleTo(rights, cluster.parts);
  const offers: readonly (Action | undefined)[] = [
    ...(nodes.known ? [...nodes.value.values()].flatMap(({ row }) => row.devices.map(({ approve }) => approve)) : []),
    ...(pools.known ? [...pools.value.values()].map(({ row }) => row.cancel) : []),
    ...(syncs.known ? [...syncs.value.values()].map(({ row }) => row.drill) : []),
  ];
  return offers.find((offer) => offer?.name === sent.name && isDeepStrictEqual(offer.to, sent.to));
}
