import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Labels } from '../kit/label-requirements.ts';
import { at, aUser, aVolume, notReady, policy, used } from './builders.ts';
import type { Volume } from './cached.ts';
import { type Policy, REGION, TOPOLOGY_LABELS, ZONE } from './contract.ts';
import { atOnce, type Decision, decide } from './decide.ts';
import type { Seen, User } from './seen.ts';
import { valuesIn } from './values.ts';

const labelsOf = (decision: Decision): Labels | undefined => (decision.do === 'label' ? decision.labels : undefined);
const factOf = (decision: Decision): string | undefined =>
  decision.do === 'nothing' ? decision.because.fact : undefined;

const inA = aUser(at('a', 'r'), { pod: 'default/web-a', node: 'node-a', readySince: 1 });
const inB = aUser(at('b', 'r'), { pod: 'default/web-b', node: 'node-b', readySince: 2 });

describe('a volume that is used in one place', () => {
  test('gets the zone and the region of the node where its ready pod runs', () => {
    expect(decide(used(aVolume(), inA), policy())).toMatchObject({
      do: 'label',
      labels: at('a', 'r'),
      replaced: [],
      sources: [inA],
    });
  });

  test('gets only the label that it lacks', () => {
    expect(labelsOf(decide(used(aVolume({ labels: at('a') }), inA), policy()))).toEqual(at(undefined, 'r'));
  });

  test('is left alone when it has both', () => {
    expect(factOf(decide(used(aVolume({ labels: at('a', 'r') }), inA), policy()))).toBe('alreadyRight');
  });

  test.each([
    ['zone', at('a')],
    ['region', at(undefined, 'r')],
  ])('on a node that has only a %s gets only that', (_what, place) => {
    expect(labelsOf(decide(used(aVolume(), aUser(place)), policy()))).toEqual(place);
  });

  test('keeps its labels when the node loses them', () => {
    expect(factOf(decide(used(aVolume({ labels: at('a', 'r') }), aUser({})), policy()))).toBe('nodeHasNoTopology');
  });

  test('follows a pod that moved', () => {
    const decision = decide(used(aVolume({ labels: at('a', 'r') }), inB), policy());
    expect(decision).toMatchObject({ labels: at('b'), replaced: [{ key: ZONE, is: 'a', wanted: 'b' }] });
  });

  test('gets more labels of the node when they are asked for', () => {
    const key = 'topology.csi.vendor/zone';
    const user = aUser({ ...at('a', 'r'), [key]: 'a-1', other: 'x' });
    const labelKeys = [ZONE, REGION, key];
    expect(labelsOf(decide(used(aVolume(), user), policy({ labelKeys })))).toEqual({ ...at('a', 'r'), [key]: 'a-1' });
  });
});

describe('nothing is written', () => {
  const cases: readonly [string, string, Seen, Partial<Policy>?][] = [
    ['to a volume without a claim', 'volumeIsUnclaimed', { volume: aVolume(), binding: 'unclaimed', users: [] }],
    ['when the claim is gone', 'claimIsGone', { volume: aVolume(), binding: 'claimIsGone', users: [] }],
    [
      'when the claim has another volume',
      'claimIsNotBound',
      { volume: aVolume(), binding: 'claimIsElsewhere', users: [] },
    ],
    ['when no pod uses it', 'noPodUsesIt', used(aVolume())],
    ['when no pod is ready', 'noPodIsReady', used(aVolume(), notReady(inA))],
    ['when the pod has no node yet', 'noPodIsReady', used(aVolume(), { pod: 'default/web-0' })],
    ['when the node is gone', 'nodeIsGone', used(aVolume(), aUser(undefined))],
    ['when the node has neither zone nor region', 'nodeHasNoTopology', used(aVolume(), aUser({}))],
    ['from an empty label', 'nodeValueIsUnusable', used(aVolume(), aUser(at('')))],
    ['from a label that reads as several places', 'nodeValueIsUnusable', used(aVolume(), aUser(at('a__b')))],
    ['from a label that is too long', 'nodeValueIsUnusable', used(aVolume(), aUser(at('a'.repeat(64))))],
    ['from a label with a character that is not allowed', 'nodeValueIsUnusable', used(aVolume(), aUser(at('a b')))],
    [
      'to a volume with an access mode that was not asked for',
      'accessModeIsLeftOut',
      used(aVolume({ accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }), inA),
      { accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'] },
    ],
  ];
  test.each(cases)('%s (%s)', (_when, fact, seen, choices = {}) => {
    expect(factOf(decide(seen, policy(choices)))).toBe(fact);
  });

  test('by an unusable zone: but the region beside it is', () => {
    expect(labelsOf(decide(used(aVolume(), aUser(at('a__b', 'r'))), policy()))).toEqual(at(undefined, 'r'));
  });
});

describe('a volume that is used in several places', () => {
  const three = [inB, inA, aUser(at('c', 's'), { pod: 'default/web-c', node: 'node-c', readySince: 3 })];

  test('gets the sorted set of them', () => {
    expect(labelsOf(decide(used(aVolume(), ...three), policy()))).toEqual(at('a__b__c', 'r__s'));
  });

  test('is left alone when its label names them in another order', () => {
    expect(factOf(decide(used(aVolume({ labels: at('b__a', 'r') }), inA, inB), policy()))).toBe('alreadyRight');
  });

  test('keeps a place whose pod is not ready any more', () => {
    const volume = aVolume({ labels: at('a__b', 'r') });
    expect(factOf(decide(used(volume, inA, notReady(inB)), policy()))).toBe('alreadyRight');
  });

  test('does not get a place whose pod has never been ready', () => {
    expect(labelsOf(decide(used(aVolume(), inA, notReady(inB)), policy()))).toEqual(at('a', 'r'));
  });

  test('loses a place that nobody is in any more', () => {
    expect(labelsOf(decide(used(aVolume({ labels: at('a__b', 'r') }), inA), policy()))).toEqual(at('a'));
  });

  test.each([
    ['gone', undefined],
    ['without its label', {}],
  ])('keeps every place while the node of one of its pods is %s', (_what, labels) => {
    const volume = aVolume({ labels: at('a__b', 'r') });
    const lost = aUser(labels, { pod: 'default/lost', node: 'node-x' });
    expect(factOf(decide(used(volume, inA, lost), policy()))).toBe('alreadyRight');
  });

  test('gets no region that would keep a pod from its own node, which has a zone only', () => {
    expect(labelsOf(decide(used(aVolume(), inA, aUser(at('b'), { pod: 'default/web-x' })), policy()))).toEqual(
      at('a__b'),
    );
  });

  test('gets nothing when each label would keep one of the pods from its node', () => {
    const decision = decide(
      used(aVolume(), aUser(at('a')), aUser(at(undefined, 'r'), { pod: 'default/web-1', node: 'node-2' })),
      policy(),
    );
    expect(decision).toMatchObject({ because: { fact: 'aUserWouldBeLeftOut', node: 'node-2', key: ZONE } });
  });

  test('gets nothing when the set is longer than a label may be', () => {
    const users = ['a', 'b', 'c'].map((letter) => aUser(at(letter.repeat(25)), { pod: `default/${letter}` }));
    expect(factOf(decide(used(aVolume(), ...users), policy()))).toBe('placesDoNotFit');
  });

  test('is left alone with --multi-zone=skip', () => {
    expect(factOf(decide(used(aVolume(), inA, inB), policy({ multiZone: 'skip' })))).toBe('usedInSeveralPlaces');
    expect(labelsOf(decide(used(aVolume(), inA), policy({ multiZone: 'skip' })))).toEqual(at('a', 'r'));
  });
});

describe('with --multi-zone=first', () => {
  const first = policy({ multiZone: 'first' });

  test('the pod that has been ready for longest names the place', () => {
    expect(labelsOf(decide(used(aVolume(), inB, inA), first))).toEqual(at('a', 'r'));
  });

  test('a volume stays where it is labelled while one of its pods is there, ready or not', () => {
    const volume = aVolume({ labels: at('b', 'r') });
    expect(factOf(decide(used(volume, inA, inB), first))).toBe('alreadyRight');
    expect(factOf(decide(used(volume, inA, notReady(inB)), first))).toBe('alreadyRight');
  });

  test('zone and region come from the same node', () => {
    const elsewhere = aUser(at('b', 's'), { pod: 'default/web-b', node: 'node-b', readySince: 2 });
    expect(labelsOf(decide(used(aVolume({ labels: at('b') }), inA, elsewhere), first))).toEqual(at(undefined, 's'));
    expect(labelsOf(decide(used(aVolume(), elsewhere, inA), first))).toEqual(at('a', 'r'));
  });

  test('a volume whose first user has left follows the next', () => {
    expect(labelsOf(decide(used(aVolume({ labels: at('x', 'r') }), inA, inB), first))).toEqual(at('a'));
  });

  test('a pod whose node is gone is not asked for its place', () => {
    const lost = aUser(undefined, { pod: 'default/lost', node: 'node-x', readySince: 0 });
    expect(labelsOf(decide(used(aVolume(), lost, inA, inB), first))).toEqual(at('a', 'r'));
  });
});

describe('a label that somebody else wrote', () => {
  const theirs = aVolume({ labels: at('x', 'r'), writers: { [ZONE]: 'kubectl-label' } });

  test('is replaced', () => {
    expect(decide(used(theirs, inA), policy())).toMatchObject({
      labels: at('a'),
      replaced: [{ key: ZONE, is: 'x', wanted: 'a', writer: 'kubectl-label' }],
    });
  });

  test('is kept with --overwrite=missing, and nothing is written beside it', () => {
    const volume = { ...theirs, labels: at('x') };
    expect(decide(used(volume, inA), policy({ overwrite: 'missing' }))).toMatchObject({
      because: { fact: 'anotherValueIsKept', differences: [{ key: ZONE, is: 'x', wanted: 'a' }] },
    });
  });

  test('with the same meaning is no conflict', () => {
    const volume = { ...theirs, labels: at('a') };
    expect(labelsOf(decide(used(volume, inA), policy({ overwrite: 'missing' })))).toEqual(at(undefined, 'r'));
  });

  test('that is empty counts as missing', () => {
    const volume = { ...theirs, labels: at('') };
    expect(decide(used(volume, inA), policy({ overwrite: 'missing' }))).toMatchObject({
      labels: at('a', 'r'),
      replaced: [],
    });
  });
});

describe('a node affinity', () => {
  const wanted = policy({ nodeAffinity: true });
  const affinity = {
    nodeSelectorTerms: [
      {
        matchExpressions: [
          { key: ZONE, operator: 'In', values: ['a'] },
          { key: REGION, operator: 'In', values: ['r'] },
        ],
      },
    ],
  };

  test('is set together with the labels, also when those are there already', () => {
    expect(decide(used(aVolume(), inA), wanted)).toMatchObject({ labels: at('a', 'r'), nodeAffinity: affinity });
    const labelled = aVolume({ labels: at('a', 'r') });
    expect(decide(used(labelled, inA), wanted)).toMatchObject({
      labels: {},
      nodeAffinity: affinity,
    });
  });

  test.each([
    ['unless it is asked for', used(aVolume(), inA), policy()],
    ['where there is one', used(aVolume({ hasNodeAffinity: true }), inA), wanted],
    ['of a volume that can be shared', used(aVolume({ accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }), inA), wanted],
    ['of a volume that says nothing about its use', used(aVolume({ accessModes: [] }), inA), wanted],
    ['of a volume in several places', used(aVolume(), inA, inB), wanted],
    ['while another pod of it is elsewhere', used(aVolume(), inA, notReady(inB)), wanted],
    ['while another pod of it waits for a node', used(aVolume(), inA, { pod: 'default/waiting' }), wanted],
    [
      'while a label names a place that somebody has just left',
      used(aVolume({ labels: at('a__b', 'r') }), inA),
      wanted,
    ],
    ['while a missing label is written beside such a one', used(aVolume({ labels: at('a__b') }), inA), wanted],
    [
      'while it is unknown where another pod of it is',
      used(aVolume(), inA, aUser(undefined, { pod: 'default/lost' })),
      wanted,
    ],
  ])('is not set %s', (_when, seen, choices) => {
    expect(decide(seen, choices)).not.toHaveProperty('nodeAffinity');
  });
});

function carriedOut(volume: Volume, decision: Decision): Volume {
  if (decision.do === 'nothing') return volume;
  const hasNodeAffinity = volume.hasNodeAffinity || decision.nodeAffinity !== undefined;
  return { ...volume, labels: { ...volume.labels, ...decision.labels }, hasNodeAffinity };
}

describe('for any volume', () => {
  const value = fc.option(fc.constantFrom('a', 'b', 'c', '', 'a__b', 'x'.repeat(40)), { nil: undefined });
  const place = fc.option(
    fc.tuple(value, value).map(([zone, region]) => at(zone, region)),
    { nil: undefined },
  );
  const user = fc.record({ place, readySince: fc.option(fc.nat(9), { nil: undefined }), node: fc.boolean() });
  const users = fc.array(user, { maxLength: 5 }).map((all) =>
    all.map((each, index): User => {
      const { readySince, ...placed } = aUser(each.place, { pod: `default/web-${index}`, node: `node-${index}` });
      if (!each.node) return { pod: placed.pod };
      return each.readySince === undefined ? placed : { ...placed, readySince: each.readySince };
    }),
  );
  const seen = fc.record({ users, labels: fc.tuple(value, value).map(([zone, region]) => at(zone, region)) });
  const policies = fc.record({
    overwrite: fc.constantFrom('always', 'missing'),
    multiZone: fc.constantFrom('set', 'first', 'skip'),
    nodeAffinity: fc.boolean(),
  }) as fc.Arbitrary<Partial<Policy>>;

  test('deciding again after the decision was carried out wants no more label, and after that nothing more', () => {
    fc.assert(
      fc.property(seen, policies, ({ users: all, labels }, choices) => {
        const decideAbout = (volume: Volume) => decide(used(volume, ...all), policy(choices));
        const first = carriedOut(aVolume({ labels }), decideAbout(aVolume({ labels })));
        const second = decideAbout(first);
        expect(labelsOf(second) ?? {}).toEqual({});
        expect(decideAbout(carriedOut(first, second))).toMatchObject({ do: 'nothing' });
      }),
    );
  });

  test('a node affinity is only set where every user is in the one place, and no label names others besides', () => {
    fc.assert(
      fc.property(seen, policies, ({ users: all, labels }, choices) => {
        const decision = decide(used(aVolume({ labels }), ...all), policy({ ...choices, nodeAffinity: true }));
        if (decision.do === 'nothing' || !decision.nodeAffinity) return;
        expect(decision.narrowing).toEqual([]);
        for (const { key, values } of decision.nodeAffinity.nodeSelectorTerms?.[0]?.matchExpressions ?? []) {
          for (const user of all) expect(values).toEqual([user.labels?.[key]]);
          const named = valuesIn(labels[key]);
          expect(named.length > 1 && named.includes(values?.[0] ?? '')).toBe(false);
        }
      }),
    );
  });

  test('the labels that are written never keep a ready pod from its own node, unless a policy wants them to', () => {
    fc.assert(
      fc.property(seen, ({ users: all, labels }) => {
        const decision = decide(used(aVolume({ labels }), ...all), policy());
        const hasTopology = ({ labels: node }: User) => TOPOLOGY_LABELS.some((key) => node?.[key] !== undefined);
        const ready = all.filter((user) => user.readySince !== undefined && hasTopology(user));
        for (const [key, label] of Object.entries(labelsOf(decision) ?? {})) {
          for (const { labels: node } of ready) expect(valuesIn(label)).toContain(node?.[key]);
        }
      }),
    );
  });

  test('no label is written that the API server would refuse', () => {
    fc.assert(
      fc.property(seen, policies, ({ users: all, labels }, choices) => {
        const written = labelsOf(decide(used(aVolume({ labels }), ...all), policy(choices))) ?? {};
        for (const label of Object.values(written)) expect(label).toMatch(/^[a-z](?:[a-z_]{0,61}[a-z])?$/);
      }),
    );
  });
});

describe('what is there and not right', () => {
  test('is told although nothing can be written', () => {
    const unusable = used(aVolume({ labels: at('a', 'r') }), aUser(at('x__y', 'r')));
    expect(factOf(decide(unusable, policy()))).toBe('nodeValueIsUnusable');
    const zoneOnly = aUser(at('b'), { pod: 'default/web-b', node: 'node-b' });
    expect(decide(used(aVolume({ labels: at('a__b', 'r') }), inA, zoneOnly), policy())).toMatchObject({
      because: { fact: 'aUserWouldBeLeftOut', node: 'node-b', key: REGION },
    });
  });

  test('is replaced when it is a label that the scheduler cannot read', () => {
    expect(labelsOf(decide(used(aVolume({ labels: at('a____b', 'r') }), inA), policy()))).toEqual(at('a'));
    const lost = aUser(undefined, { pod: 'default/lost' });
    expect(labelsOf(decide(used(aVolume({ labels: at('a___b', 'r') }), inA, lost), policy()))).toEqual(at('a'));
  });
});

describe('a pod that waits for a node', () => {
  const waiting: User = { pod: 'default/waiting' };

  test('may come back to any place that we have named', () => {
    expect(factOf(decide(used(aVolume({ labels: at('a__b', 'r') }), inA, waiting), policy()))).toBe('alreadyRight');
  });

  test('does not make us keep what somebody else wrote', () => {
    const theirs = aVolume({ labels: at('x', 'r'), writers: { [ZONE]: 'kubectl' } });
    expect(labelsOf(decide(used(theirs, inA, waiting), policy()))).toEqual(at('a'));
  });

  test('keeps a volume where it is with --multi-zone=first, and so does one whose node is gone', () => {
    const first = policy({ multiZone: 'first' });
    const labelled = aVolume({ labels: at('c', 'r') });
    const lost = aUser(undefined, { pod: 'default/lost' });
    expect(factOf(decide(used(labelled, inA, inB, waiting), first))).toBe('alreadyRight');
    expect(factOf(decide(used(labelled, inA, inB, lost), first))).toBe('alreadyRight');
  });
});

describe('the sources of labels', () => {
  test('are users that the labels come from, the oldest first', () => {
    const bare = aUser({}, { pod: 'default/bare', node: 'node-bare', readySince: 0 });
    expect(decide(used(aVolume(), inB, inA, bare), policy())).toMatchObject({ sources: [inA, inB] });
  });

  test('with --multi-zone=first are in the place that is named', () => {
    const older = aUser(at('b', 's'), { pod: 'default/web-b', node: 'node-b', readySince: 0 });
    const decision = decide(used(aVolume({ labels: at('a') }), older, inA), policy({ multiZone: 'first' }));
    expect(decision).toMatchObject({ labels: at(undefined, 'r'), sources: [inA] });
  });
});

describe('a label of --label-keys', () => {
  const HOST = 'kubernetes.io/hostname';
  const withHost = (choices: Partial<Policy> = {}) => policy({ ...choices, labelKeys: [ZONE, REGION, HOST] });
  const onNode = (host: string, zone = 'a') =>
    aUser({ ...at(zone, 'r'), [HOST]: host }, { pod: `default/${host}`, node: host, readySince: host.length });
  const [short, long] = [onNode('h'), onNode('x'.repeat(63))];

  test('that does not fit keeps no other from being written, and is told', () => {
    const decision = decide(used(aVolume(), short, long), withHost());
    expect(decision).toMatchObject({ labels: at('a', 'r'), trouble: { fact: 'placesDoNotFit', key: HOST } });
    expect(labelsOf(decision)).toEqual(at('a', 'r'));
    const after = decide(used(aVolume({ labels: at('a', 'r') }), short, long), withHost());
    expect(after).toMatchObject({ because: { fact: 'placesDoNotFit', key: HOST } });
  });

  test('in several places is left out by itself with --multi-zone=skip', () => {
    const decision = decide(used(aVolume(), short, onNode('i')), withHost({ multiZone: 'skip' }));
    expect(labelsOf(decision)).toEqual(at('a', 'r'));
    expect(decision).toMatchObject({ trouble: { fact: 'usedInSeveralPlaces', key: HOST } });
  });

  test('in one place is written with --multi-zone=skip where the zones are several', () => {
    const vendor = 'topology.csi.vendor/pool';
    const users = [inA, inB].map((user) => ({ ...user, labels: { ...user.labels, [vendor]: 'p' } }));
    const decision = decide(
      used(aVolume(), ...users),
      policy({ multiZone: 'skip', labelKeys: [ZONE, REGION, vendor] }),
    );
    expect(labelsOf(decision)).toEqual({ [vendor]: 'p' });
    expect(decision).toMatchObject({ trouble: { fact: 'usedInSeveralPlaces', key: ZONE } });
  });

  test('that somebody else wrote keeps no other from being written with --overwrite=missing', () => {
    const volume = aVolume({ labels: { [HOST]: 'theirs' }, writers: { [HOST]: 'kubectl-label' } });
    const decision = decide(used(volume, short), withHost({ overwrite: 'missing' }));
    expect(labelsOf(decision)).toEqual(at('a', 'r'));
    expect(decision).toMatchObject({ trouble: { fact: 'anotherValueIsKept', differences: [{ key: HOST }] } });
  });

  test('with --multi-zone=first comes from the first node, and the zone that is one is narrowed all the same', () => {
    const volume = aVolume({ labels: at('a__b', 'r') });
    const decision = decide(used(volume, short, long), withHost({ multiZone: 'first' }));
    expect(decision).toMatchObject({ labels: { ...at('a'), [HOST]: 'h' }, narrowing: [ZONE] });
  });

  test('that is left out lets no node affinity be set', () => {
    const decision = decide(used(aVolume(), short, onNode('i')), withHost({ multiZone: 'skip', nodeAffinity: true }));
    expect(decision).not.toHaveProperty('nodeAffinity');
  });

  test('without a value is not taken over, and is no trouble', () => {
    const role = 'node-role.kubernetes.io/worker';
    const worker = aUser({ ...at('a', 'r'), [role]: '' });
    const asked = policy({ labelKeys: [ZONE, REGION, role] });
    const decision = decide(used(aVolume(), worker), asked);
    expect(labelsOf(decision)).toEqual(at('a', 'r'));
    expect(decision).not.toHaveProperty('trouble');
    expect(factOf(decide(used(aVolume({ labels: at('a', 'r') }), worker), asked))).toBe('alreadyRight');
  });

  test('does not hide that the node has no place', () => {
    const bare = aUser({ [HOST]: 'h' });
    expect(labelsOf(decide(used(aVolume(), bare), withHost()))).toEqual({ [HOST]: 'h' });
    const volume = aVolume({ labels: { [HOST]: 'h' } });
    expect(factOf(decide(used(volume, bare), withHost()))).toBe('nodeHasNoTopology');
  });
});

test('only what gives places up, and nothing else, narrows', () => {
  const narrowing = (decision: Decision) => (decision.do === 'label' ? decision.narrowing : undefined);
  expect(narrowing(decide(used(aVolume({ labels: at('a__b', 'r') }), inA), policy()))).toEqual([ZONE]);
  expect(narrowing(decide(used(aVolume({ labels: at('a__b') }), inA), policy()))).toEqual([ZONE]);
  expect(narrowing(decide(used(aVolume({ labels: at('b', 'r') }), inA), policy()))).toEqual([]);
  expect(narrowing(decide(used(aVolume(), inA), policy()))).toEqual([]);
});

describe('what need not wait', () => {
  const dueAtOnce = (seen: Seen, choices: Partial<Policy> = {}) => {
    const decision = decide(seen, policy(choices));
    return decision.do === 'label' ? atOnce(decision) : undefined;
  };

  test('is what is missing, beside a label that would give a place up', () => {
    const writers = { [ZONE]: 'kubectl-label' };
    expect(dueAtOnce(used(aVolume({ labels: at('a__b'), writers }), inA))).toMatchObject({
      labels: at(undefined, 'r'),
      narrowing: [],
      replaced: [],
    });
  });

  test('is nothing when places are only given up, also with --node-affinity', () => {
    const volume = aVolume({ labels: at('a__b', 'r') });
    for (const nodeAffinity of [false, true]) expect(dueAtOnce(used(volume, inA), { nodeAffinity })).toBeUndefined();
  });
});
