/**
 * The agent is killed before and after every program that it runs to make a volume, to let it grow, and to take it away. What the next one
 * leaves is what an undisturbed one leaves: nothing is formatted twice, no data are lost, and nothing stays behind.
 */
import { describe, expect, it } from 'vitest';
import { type Call, Kills, type Recorded, type Shot } from './lvm-kills.ts';
import { LvmNode, MIB, type PersistentVolume, PREFIX } from './lvm-node.ts';

/** For all kills of a kind of volume together. */
const MANY_AGENTS_MS = 5_400_000;

interface Way {
  readonly kind: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** As small as it can be, since a guest is slow. */
  readonly sizes: readonly [string, string];
}

const WAYS: readonly Way[] = [
  {
    kind: 'a plain volume',
    annotations: { shred: 'zero' },
    sizes: ['16Mi', '24Mi'],
  },
  {
    kind: 'a thin volume',
    annotations: { thinPool: 'pool', thinPoolSize: '64Mi' },
    sizes: ['16Mi', '24Mi'],
  },
  {
    kind: 'an encrypted volume',
    annotations: { cryptSecret: 'key', shred: 'zero' },
    sizes: ['32Mi', '40Mi'],
  },
];

const PHASES = ['make', 'grow', 'remove'] as const;
type Phase = (typeof PHASES)[number];
type Pictures = Readonly<Record<Phase, string>>;

/** How often the agent looks is not for sure; what it changes is. */
const isLook = ({ program }: Call): boolean => ['lvm-fullreport', 'blkid', 'wipefs'].includes(program);

describe.each(WAYS)('$kind, whose agent is killed before or after any program,', (way) => {
  it('is made once, grows with what is on it, and leaves nothing', { timeout: MANY_AGENTS_MS }, async () => {
    await using node = await LvmNode.start([256 * MIB]);
    const key = Buffer.from('a key that nobody guesses').toString('base64');
    await node.plane.admin.post('/api/v1/namespaces/holdfast/secrets', { metadata: { name: 'key' }, data: { key } });
    const campaign = new Campaign(node, await Kills.of(node, '--secret-namespaces=holdfast'), way);

    const { pictures, calls } = await campaign.rehearse();
    const shots = { make: shotsAt(calls.make), grow: shotsAt(calls.grow), remove: shotsAt(calls.remove) };
    const rounds = Math.max(...PHASES.map((phase) => shots[phase].length));
    for (let round = 0; round < rounds; round++) {
      const aimed = PHASES.map((phase) => [phase, shots[phase][round]] as const);
      await campaign.round(`round-${round}`, pictures, Object.fromEntries(aimed));
    }
    expect(campaign.missed.filter((shot) => !isLook(shot))).toEqual([]);
    const all = PHASES.flatMap((phase) => shots[phase]);
    expect(campaign.kills).toBe(all.length - campaign.missed.length);
  });
});

/** Before and after a look everything is the same, so one of them will do. */
const shotsAt = (calls: readonly Call[]): readonly Shot[] =>
  calls.flatMap((call) =>
    (isLook(call) ? (['before'] as const) : (['before', 'after'] as const)).map((when) => ({ ...call, when })),
  );

class Campaign {
  readonly #node: LvmNode;
  readonly #kills: Kills;
  readonly #way: Way;
  kills = 0;
  /** Calls of the rehearsal that did not come. */
  readonly missed: Shot[] = [];

  constructor(node: LvmNode, kills: Kills, way: Way) {
    this.#node = node;
    this.#kills = kills;
    this.#way = way;
  }

  /** What is left after each phase, and what is called in each, when nobody is killed. */
  async rehearse(): Promise<{ pictures: Pictures; calls: Readonly<Record<Phase, readonly Call[]>> }> {
    const pictures = { make: '', grow: '', remove: '' };
    const calls: Record<Phase, readonly Call[]> = { make: [], grow: [], remove: [] };
    for (const phase of PHASES)
      ({ picture: pictures[phase], calls: calls[phase] } = await this.#enact(phase, 'rehearsal'));
    await this.#kills.seesEverything();
    const { cryptSecret } = this.#way.annotations;
    expect(pictures.make).toContain(`mkfs.ext4: 1, luksFormat: ${cryptSecret === undefined ? 0 : 1}`);
    expect(pictures.remove).not.toMatch(/NAME|holdfast(-|\.dev\/)/);
    return { pictures, calls };
  }

  async round(name: string, pictures: Pictures, shots: Readonly<Partial<Record<Phase, Shot>>>): Promise<void> {
    for (const phase of PHASES) {
      const shot = shots[phase];
      if (phase === 'grow' && !shot) continue; // all of its programs have had their turn
      const inWords = shot ? `killed ${shot.when} ${shot.program} ${shot.nth} of ${phase}` : `undisturbed ${phase}`;
      const { picture, isKilled } = await this.#enact(phase, name, shot).catch((cause) => {
        throw new Error(`${inWords}: ${cause}`, { cause });
      });
      expect(picture, inWords).toEqual(pictures[phase]);
      if (isKilled) this.kills++;
      else if (shot) this.missed.push(shot);
    }
  }

  async #enact(phase: Phase, name: string, shot?: Shot): Promise<Recorded & { readonly picture: string }> {
    await this.#kills.aim(shot);
    await this.#go(phase, name);
    const picture = await this.#picture(name);
    const recorded = await this.#kills.record();
    if (phase === 'remove') await this.#removePool();
    return { ...recorded, picture: `${picture}${this.#formats(recorded)}` };
  }

  /** A pool outlives its volumes. The next one is to have it made anew. */
  async #removePool(): Promise<void> {
    const { thinPool } = this.#way.annotations;
    if (thinPool !== undefined) await this.#node.guest.output('lvremove', '--yes', `storage_bulk/${thinPool}`);
  }

  /** How often something was formatted to the end. */
  #formats({ ended }: Recorded): string {
    const times = (word: string) => ended.filter((line) => line.startsWith('0 ') && line.includes(word)).length;
    return ['mkfs.ext4', 'luksFormat'].map((word) => `${word}: ${times(word)}`).join(', ');
  }

  async #go(phase: Phase, name: string): Promise<void> {
    const { annotations, sizes } = this.#way;
    const node = this.#node;
    const path = `/mnt/pv/${name}`;
    if (phase === 'make') {
      await node.declare(name, { storage: sizes[0], annotations });
      await this.#isReady(name, sizes[0]);
      await node.guest.output(
        'sh',
        '-c',
        'cd "$1" && head -c 1M /dev/urandom >content && sha256sum content >sum && sync -f sum',
        'sh',
        path,
      );
    } else if (phase === 'grow') {
      await node.grow(name, sizes[1]);
      await this.#isReady(name, sizes[1]);
      await node.guest.output('sh', '-c', 'cd "$1" && sha256sum --check --quiet sum', 'sh', path);
    } else {
      await node.delete(name);
      await this.#kills.until(`${name} to be gone`, async () => {
        if (await node.find(name)) throw new Error(`${name} is there`);
      });
    }
  }

  async #isReady(name: string, size: string): Promise<void> {
    const bytes = `${Number.parseInt(size, 10) * MIB}`;
    await this.#kills.until(`${name} to be ready with ${size}`, async () => {
      const { metadata } = await this.#node.volume(name);
      const { [`${PREFIX}status`]: status, [`${PREFIX}size`]: found } = metadata.annotations ?? {};
      if (status !== 'Processed' || found !== bytes)
        throw new Error(`${name}: ${JSON.stringify(metadata.annotations)}`);
    });
  }

  /** Everything of the node and the API that a volume leaves its traces on, with its own names taken out. */
  async #picture(name: string): Promise<string> {
    const script = `
      lvs --all --noheadings --separator ' ' --options lv_name,lv_size,lv_attr,lv_tags
      dmsetup info --columns --noheadings --sort name --options name,suspended
      findmnt --noheadings --raw --output TARGET,SOURCE,FSTYPE,OPTIONS | grep -e /mnt/pv
      stat --file-system --format '%b blocks' /mnt/pv/*
      lsattr -d /mnt/pv/*
      ls -A /mnt/pv`;
    const { stdout } = await this.#node.guest.run(['sh', '-c', script]);
    const volume = await this.#node.find(name);
    return withoutNames(`${stdout}${JSON.stringify(volume && written(volume), undefined, 1)}`, name, volume);
  }
}

const written = ({ metadata: { annotations, finalizers } }: PersistentVolume) => ({ annotations, finalizers });

function withoutNames(text: string, name: string, volume: PersistentVolume | undefined): string {
  const { uid, annotations } = volume?.metadata ?? {};
  const names: readonly (readonly [string | undefined, string])[] = [
    [uid, 'UID'],
    [annotations?.['holdfast.dev/logical-volume'], 'UUID'],
    [name, 'NAME'],
    [name.replaceAll('-', '--'), 'NAME'],
  ];
  return names.reduce(
    (rest, [each, placeholder]) => (each === undefined ? rest : rest.replaceAll(each, placeholder)),
    text,
  );
}
