/** The keys of an encrypted volume change while it is in use. */
import { describe, expect, it } from 'vitest';
import type { Operation } from '../kit/host/simulated/operation.ts';
import { pathOf, SimulatedNode } from './simulated-node.ts';

const PATIENCE = { timeout: 120_000 };
const VOLUME = 'data';

async function encrypted(): Promise<SimulatedNode> {
  const node = new SimulatedNode();
  node.declare(VOLUME, { options: { cryptSecret: 'key' } });
  if (!(await node.rest())) throw new Error('it is not made');
  node.write(VOLUME);
  return node;
}

function putKeys(node: SimulatedNode, keys: Readonly<Record<string, string>>): void {
  const data = Object.fromEntries(
    Object.entries(keys).map(([name, key]) => [name, Buffer.from(key).toString('base64')]),
  );
  const secret: { metadata: object; data: object } = { metadata: { name: 'key', namespace: 'holdfast' }, data };
  node.cluster.put('secrets', secret);
}

/** Longer than it takes until a Secret is looked at again. */
async function aWhileLater(node: SimulatedNode): Promise<void> {
  await node.clock.advance(61_000);
  if (!(await node.rest())) throw new Error('it does not come to rest');
}

/** What the agent sees when it is started again. */
function hideBySomethingElse(node: SimulatedNode): void {
  node.kill();
  node.fileSystems.mountForeign(pathOf(VOLUME));
}

const slots = (node: SimulatedNode) => node.lv(VOLUME)?.content.slots.filter((slot) => slot !== undefined);
const isCryptsetup = ({ verb, target }: Operation) => verb === 'exec' && target === 'cryptsetup';

describe('a volume whose Secret has another key', PATIENCE, () => {
  it('gets that one when the one before is there, too', async () => {
    const node = await encrypted();
    putKeys(node, { key: 'new', previousKey: 'secret' });
    await aWhileLater(node);
    expect(slots(node)).toEqual(['new']);
    expect([node.says(VOLUME, 'status'), node.violations]).toEqual(['Processed', []]);
  });

  it.each<[string, string, (node: SimulatedNode) => void]>([
    ['cannot grow for want of room', 'groupIsFull', (node) => node.grow(VOLUME, 100n)],
    ['is hidden by something else', 'somethingElseIsMounted', hideBySomethingElse],
  ])('gets that one, also when it %s', async (_, fact, hinder) => {
    const node = await encrypted();
    hinder(node);
    await node.rest();
    expect(node.says(VOLUME, 'message')).toContain(fact);
    putKeys(node, { key: 'new', previousKey: 'secret' });
    await aWhileLater(node);
    expect(slots(node)).toEqual(['new']);
    expect(node.says(VOLUME, 'message')).toContain(fact);
  });

  it('gets that one before it grows, which takes a key', async () => {
    const node = await encrypted();
    node.kill();
    putKeys(node, { key: 'new', previousKey: 'secret' });
    node.grow(VOLUME, 12n);
    await aWhileLater(node);
    expect([slots(node), node.says(VOLUME, 'status')]).toEqual([['new'], 'Processed']);
    expect(node.lv(VOLUME)?.extents).toBe(12n);
    expect(node.violations).toEqual([]);
  });

  it('does not grow by a key that does not open it, says so, and does what needs no key', async () => {
    const node = await encrypted();
    node.kill();
    putKeys(node, { key: 'new' });
    node.grow(VOLUME, 12n);
    node.annotate(VOLUME, { mountOpts: 'nodev' });
    await aWhileLater(node);
    expect(node.says(VOLUME, 'message')).toContain('keyIsWrong');
    expect(node.machine.mounts.at(-1)?.options).toContain('nodev');
  });

  it('says so when neither opens it, stays as it is, and is well when the key is back', async () => {
    const node = await encrypted();
    putKeys(node, { key: 'new' });
    await aWhileLater(node);
    expect(slots(node)).toEqual(['secret']);
    expect(node.says(VOLUME, 'message')).toContain('keyIsWrong');
    expect(node.contentOf(VOLUME)).toBeDefined();
    putKeys(node, { key: 'secret' });
    await aWhileLater(node);
    expect([node.says(VOLUME, 'status'), node.says(VOLUME, 'message')]).toEqual(['Processed', undefined]);
  });

  it('says so, too, when it was changed while there was no agent', async () => {
    const node = await encrypted();
    node.kill();
    putKeys(node, { key: 'new' });
    await node.rest();
    expect(node.says(VOLUME, 'message')).toContain('keyIsWrong');
    expect(slots(node)).toEqual(['secret']);
  });

  it.each(['crash-before', 'crash-after'] as const)('gets it in the end whatever call ends with a %s', async (kind) => {
    for (let place = 1; ; place++) {
      const node = await encrypted();
      putKeys(node, { key: 'new', previousKey: 'secret' });
      let [calls, isKilled] = [0, false];
      node.machine.faults.when(
        (operation) => {
          expect(slots(node)?.length).toBeGreaterThan(0);
          if (!isCryptsetup(operation) || ++calls !== place) return false;
          isKilled = true;
          return true;
        },
        { kind },
      );
      await aWhileLater(node);
      expect([slots(node), node.says(VOLUME, 'status')]).toEqual([['new'], 'Processed']);
      if (!isKilled) return expect(place).toBeGreaterThan(4);
    }
  });

  it('is not tried again and again', async () => {
    const node = await encrypted();
    putKeys(node, { key: 'new', previousKey: 'secret' });
    await aWhileLater(node);
    const before = node.machine.journal.length;
    await node.clock.advance(30 * 60_000);
    const after = node.machine.journal.slice(before);
    expect(after.filter(isCryptsetup)).toEqual([]);
  });
});

it('a volume that is written wrongly is told so, also when somebody else changes it at the same moment', async () => {
  const node = new SimulatedNode();
  const answer = node.cluster.answer.bind(node.cluster);
  let isFirst = true;
  node.cluster.answer = (request) => {
    if (request.method === 'PATCH' && isFirst) {
      isFirst = false;
      node.cluster.change(VOLUME, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, annotations: { ...metadata.annotations, 'somebody-else/note': 'hello' } },
      }));
    }
    return answer(request);
  };
  node.declare(VOLUME, { options: { fsType: 'ntfs' } });
  await node.rest();
  expect(isFirst).toBe(false);
  expect(node.says(VOLUME, 'status')).toBe('Not-Processed-Errors');
});

describe('a volume whose encryption was cut off', PATIENCE, () => {
  /** Its header is complete, and nothing is in it yet. */
  async function cutOff(): Promise<SimulatedNode> {
    const node = new SimulatedNode();
    const isOpening = ({ argv }: Operation) => argv?.includes('open') ?? false;
    node.machine.faults.when(isOpening, { kind: 'crash-before' });
    node.start();
    node.declare(VOLUME, { options: { cryptSecret: 'key' } });
    await node.pass(30_000);
    expect(node.lv(VOLUME)?.content.signature).toBe('crypto_LUKS');
    return node;
  }

  it('is not encrypted a second time when its key has become the one before', async () => {
    const node = await cutOff();
    putKeys(node, { key: 'new', previousKey: 'secret' });
    const calls = node.machine.calls.length;
    await node.rest();
    expect(slots(node)).toEqual(['new']);
    expect(node.says(VOLUME, 'status')).toBe('Processed');
    expect(node.commandsSince(calls).filter((argv) => argv.includes('luksFormat'))).toEqual([]);
  });

  it('is not encrypted a second time by a key that does not open it: it may be what somebody else has put there', async () => {
    const node = await cutOff();
    putKeys(node, { key: 'new' });
    const calls = node.machine.calls.length;
    await node.rest();
    expect(slots(node)).toEqual(['secret']);
    expect(node.says(VOLUME, 'message')).toContain('keyIsWrong');
    expect(node.commandsSince(calls).filter((argv) => argv.includes('luksFormat'))).toEqual([]);
    putKeys(node, { key: 'new', previousKey: 'secret' });
    await aWhileLater(node);
    expect([slots(node), node.says(VOLUME, 'status')]).toEqual([['new'], 'Processed']);
  });
});

it('of many volumes only some are opened at once: each takes memory and a processor', PATIENCE, async () => {
  const node = new SimulatedNode({ extents: 256n });
  const names = Array.from({ length: 12 }, (_, index) => `volume-${index}`);
  for (const name of names) node.declare(name, { size: 8n, options: { cryptSecret: 'key' } });
  await node.rest();
  let [underWay, most] = [0, 0];
  const { run = () => ({}) } = node.machine.programs.get('cryptsetup') ?? {};
  node.machine.install('cryptsetup', async (call) => {
    most = Math.max(most, ++underWay);
    try {
      return await run(call);
    } finally {
      underWay -= 1;
    }
  });
  const watched = async () => {
    most = 0;
    await node.rest();
    return most;
  };
  node.reboot();
  expect(await watched()).toBe(4);
  for (const name of names) expect(node.contentOf(name)).toBeDefined();
  node.kill();
  putKeys(node, { key: 'new', previousKey: 'secret' });
  expect(await watched()).toBe(4);
});

it('a volume that is marked as encrypted and is not is neither erased nor removed', async () => {
  const node = await encrypted();
  node.annotate(VOLUME, { shred: 'zero' });
  await node.rest();
  const content = node.lv(VOLUME)?.content;
  if (!content) throw new Error('it is not there');
  node.machine.faults.when(
    ({ argv }) => {
      if (argv?.includes('erase')) throw new Error('its keys are erased');
      return false;
    },
    { kind: 'fail' },
  );
  node.delete(VOLUME);
  content.signature = 'ext4';
  node.lvm.devices.show(content);
  await node.rest();
  expect(node.lv(VOLUME)).toBeDefined();
  expect(node.says(VOLUME, 'message')).toContain('is marked as encrypted and is not');
});
