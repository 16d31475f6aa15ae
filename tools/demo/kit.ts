/**
 * `make demo`, until the jobs exist: the kit at work on a real, throw-away control plane, told as it happens.
 * Ends by itself; on a terminal it stays until Ctrl-C, so that you can change something yourself and watch. `--once` never stays.
 */

import { styleText } from 'node:util';
import { Caches } from '../../src/kit/cache/caches.ts';
import type { Change } from '../../src/kit/cache/store.ts';
import { aborted } from '../../src/kit/clock/aborted.ts';
import { systemClock } from '../../src/kit/clock/clock.ts';
import { Controller } from '../../src/kit/controller/controller.ts';
import { done } from '../../src/kit/controller/outcome.ts';
import { each } from '../../src/kit/controller/sources.ts';
import { connect } from '../../src/kit/kube/connect.ts';
import { type KubeObject, type Resource, refOf } from '../../src/kit/kube/resource.ts';
import { stopSignals } from '../../src/kit/manager/stop-signals.ts';
import { silentLog } from '../../src/kit/observe/log.ts';
import { controlPlaneBinaries } from '../../test/harness/binaries.ts';
import { startControlPlane } from '../../test/harness/control-plane.ts';
import { startFaultProxy } from '../../test/harness/fault-proxy.ts';
import { eventually } from '../../test/harness/wait.ts';

interface Note extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const NOTES: Resource<Note> = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const NOTES_PATH = '/api/v1/namespaces/default/configmaps';

const started = performance.now();
const time = () => `${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s`;
const step = (text: string) => console.log(`\n${styleText('bold', text)}`);
const tell = (text: string) => console.log(`  ${styleText('dim', time())}  ${text}`);

process.stdout.on('error', () => process.exit()); // nobody looks any more (`make demo | head`); what was started ends by itself

const over = new AbortController();
using interrupted = stopSignals(process, () => over.abort());

step('A control plane of its own: etcd and kube-apiserver, on loopback, in memory');
await using plane = await startControlPlane();
tell(`ready at ${plane.url}`);

step('The kit connects through a proxy that can break the network, lists, and watches');
await using proxy = await startFaultProxy(plane);
const parts = { clock: systemClock, random: Math.random, log: silentLog };
const tls = { ca: plane.ca };
const { client, close } = connect(
  {
    server: new URL(proxy.url),
    tls: () => tls,
    authorize: async () => ({ authorization: `Bearer ${plane.adminToken}` }),
    namespace: 'default',
    from: 'the demo',
  },
  parts,
);
const caches = new Caches({ ...parts, client });
const notes = caches.view(NOTES, {
  project: ({ metadata, data }) => ({ uid: metadata.uid, ...data }),
  namespace: 'default',
});
notes.subscribe(({ key, before, after }: Change<object>) => {
  const what = !before
    ? styleText('green', 'added  ')
    : !after
      ? styleText('red', 'removed')
      : styleText('yellow', 'changed');
  tell(`cache: ${what} ${key} ${after ? JSON.stringify({ ...after, uid: undefined }) : ''}`);
});

/** The smallest operator: whoever says `hello` gets an answer. */
const greeter = new Controller(
  {
    name: 'greeter',
    sources: [each(notes)],
    async reconcile(key) {
      const note = notes.get(key) as { uid?: string; hello?: string; answer?: string } | undefined;
      if (!note?.hello || note.answer) return done;
      const patch = { data: { answer: `hello, ${note.hello}` } };
      await client.mergePatch(NOTES, refOf(key), patch, { preconditions: { uid: note.uid ?? '' } });
      return done;
    },
  },
  parts,
);
const running = Promise.all([caches.run(over.signal), greeter.run(over.signal)]);

const say = (name: string, hello: string) => plane.admin.post(NOTES_PATH, { metadata: { name }, data: { hello } });
const answered = (name: string) =>
  eventually(() => JSON.stringify(notes.get(`default/${name}`) ?? {}).includes('answer'), {
    for: `an answer to ${name}`,
  });

const atTerminal = process.stdout.isTTY && !process.argv.includes('--once');
await Promise.race([story().then(() => (atTerminal ? stay() : undefined)), aborted(interrupted.signal)]);
step('This is the ground only: the five jobs and their demo are not there yet (docs/limitations.md)');
over.abort();
await running;
await close();

async function story(): Promise<void> {
  await caches.synced(over.signal);
  tell(`in step with the server: ${notes.size} object(s)`);

  step('Somebody makes an object; a small controller answers with one conditional PATCH');
  await say('first', 'world');
  await answered('first');

  step('Every connection is reset, five times in a row, while objects are made');
  for (let i = 1; i <= 5; i++) {
    proxy.resetAllConnections();
    await say(`during-reset-${i}`, `reset ${i}`);
  }
  for (let i = 1; i <= 5; i++) await answered(`during-reset-${i}`);
  const lists = proxy.log.filter(({ url }) => url.includes('sendInitialEvents')).length;
  tell(
    `nothing was lost; the collection was listed ${lists} time(s), the watch resumed ${proxy.count({ verb: 'watch' }) - lists} times`,
  );

  step('The API server is killed, and an object is removed right after it is back');
  await plane.apiServer.kill();
  tell('killed');
  await plane.apiServer.start();
  await plane.admin.delete(`${NOTES_PATH}/first`);
  await eventually(() => !notes.has('default/first'), { for: 'the cache to catch up' });

  step('What that cost');
  const requests = Object.groupBy(proxy.log, ({ verb }) => verb);
  for (const [verb, calls] of Object.entries(requests)) tell(`${`${calls?.length}`.padStart(3)} ${verb}`);
}

async function stay(): Promise<void> {
  step('Try it yourself (Ctrl-C ends it and leaves nothing behind)');
  const kubectl = `${controlPlaneBinaries()}/kubectl --kubeconfig ${plane.kubeconfig}`;
  console.log(`  ${kubectl} create configmap mine --from-literal hello=you`);
  await aborted(interrupted.signal);
}
