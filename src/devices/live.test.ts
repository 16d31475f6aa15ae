import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { answer, type FakeAnswer, FakeTransport, refusal } from '../kit/kube/fake-transport.ts';
import { DEVICE_ANNOTATION } from './contract.ts';
import { LiveVolumes } from './live.ts';

const PATH = '/api/v1/persistentvolumes';
const { signal } = new AbortController();

/** Lists are answered one by one, when the test says so. */
function aServer() {
  const transport = new FakeTransport();
  const waiting: ((reply: FakeAnswer) => void)[] = [];
  transport.on('GET', PATH, () => new Promise<FakeAnswer>((resolve) => waiting.push(resolve)));
  const client = new KubeClient({ transport, clock: new VirtualClock(), random: () => 0 });
  const reply = async (...names: string[]) => {
    while (waiting.length === 0) await Promise.resolve();
    waiting.shift()?.(pageOf(names));
  };
  return { transport, live: new LiveVolumes(client, 'here'), reply, waiting };
}

const pageOf = (names: readonly string[], next?: string) =>
  answer(200, { metadata: { ...(next && { continue: next }) }, items: names.map(aVolume) });

const aVolume = (name: string) => ({ metadata: { name }, spec: { local: { path: `/dev/${name}` } } });

const namesOf = async (volumes: ReturnType<LiveVolumes['all']>) => (await volumes).map(({ name }) => name);

describe('all volumes', () => {
  it('are read page by page', async () => {
    const { transport, live } = aServer();
    transport.on('GET', PATH, ({ query }) =>
      query.get('continue') === 'more' ? pageOf(['c']) : pageOf(['a', 'b'], 'more'),
    );
    expect(await namesOf(live.all(signal))).toEqual(['a', 'b', 'c']);
    expect(transport.journal.map(({ query }) => query.get('limit'))).toEqual(['500', '500']);
  });

  it('that are asked for while they are read are read again, once for all who ask', async () => {
    const { transport, live, reply } = aServer();
    const first = namesOf(live.all(signal));
    while (transport.journal.length === 0) await Promise.resolve();
    const others = [1, 2, 3].map(() => namesOf(live.all(signal)));
    await reply('old');
    await reply('new');
    expect(await first).toEqual(['old']);
    expect(await Promise.all(others)).toEqual([['new'], ['new'], ['new']]);
    expect(transport.journal).toHaveLength(2);
  });

  it('that could not be read fail for those who asked, and for nobody else', async () => {
    const { transport, live, waiting, reply } = aServer();
    const first = namesOf(live.all(signal));
    while (transport.journal.length === 0) await Promise.resolve();
    const second = namesOf(live.all(signal));
    waiting.shift()?.(refusal(403, 'Forbidden', 'no'));
    await expect(first).rejects.toMatchObject({ reason: 'Forbidden' });
    await reply('b');
    expect(await second).toEqual(['b']);
  });

  it('are not waited for by who has to stop, and are read on for the others', async () => {
    const { transport, live, reply } = aServer();
    const stop = new AbortController();
    const mine = live.all(stop.signal);
    const theirs = namesOf(live.all(signal));
    while (transport.journal.length === 0) await Promise.resolve();
    stop.abort(new Error('enough'));
    await expect(mine).rejects.toThrow('enough');
    await reply('a');
    expect(await theirs).toEqual(['a']);
  });
});

describe('what is kept of all volumes', () => {
  const on = (node: string) => ({
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }],
      },
    },
  });
  const identified = (identity: object) => ({ [DEVICE_ANNOTATION]: JSON.stringify(identity) });
  const keptOf = async (...items: readonly object[]) => {
    const { transport, live } = aServer();
    transport.on('GET', PATH, answer(200, { metadata: {}, items }));
    return await namesOf(live.all(signal));
  };

  it('are those that may be of a device of the node, by their path or by what they say of it', async () => {
    const here = { metadata: { name: 'here' }, spec: { local: { path: '/dev/a' }, ...on('here') } };
    const anywhere = { metadata: { name: 'anywhere' }, spec: { hostPath: { path: '/dev/a' } } };
    expect(await keptOf(here, anywhere)).toEqual(['here', 'anywhere']);
  });

  it('is nothing of volumes that have no device, or are of other nodes', async () => {
    const csi = { metadata: { name: 'csi' }, spec: { csi: { driver: 'd', volumeHandle: 'h' } } };
    const there = { metadata: { name: 'there' }, spec: { local: { path: '/dev/a' }, ...on('there') } };
    expect(await keptOf(csi, there)).toEqual([]);
  });

  it('are also those of other nodes whose device has a name that no other has', async () => {
    const spec = { local: { path: '/dev/a' }, ...on('there') };
    const shared = {
      metadata: { name: 'shared', annotations: identified({ wwid: 'naa.5000c500a1b2c3d4', sizeBytes: 4096 }) },
      spec,
    };
    expect(await keptOf(shared)).toEqual(['shared']);
  });
});

describe('one volume', () => {
  it('is as the server has it, or nothing', async () => {
    const { transport, live } = aServer();
    transport.on('GET', `${PATH}/a`, answer(200, { metadata: { name: 'a' } }));
    transport.on('GET', `${PATH}/b`, refusal(404, 'NotFound', 'no'));
    expect(await live.find('a', signal)).toMatchObject({ metadata: { name: 'a' } });
    expect(await live.find('b', signal)).toBeUndefined();
  });
});
