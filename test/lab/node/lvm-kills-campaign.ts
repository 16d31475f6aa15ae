/** Plays all that is done with a volume: once undisturbed, and then again and again, with one kill in each phase. */
import { expect } from 'vitest';
import type { Call, Recorded, Shot } from './lvm-kills.ts';
import { type Phase, type Scene, snapshotOf, type Volumes } from './lvm-kills-phases.ts';
import type { PersistentVolume } from './lvm-node.ts';

export interface Way extends Volumes {
  readonly kind: string;
  /** One after the other. But for the first and the last, one is left out when all of its programs have had their turn. */
  readonly acts: readonly (readonly Phase[])[];
}

interface Rehearsed {
  readonly calls: readonly Call[];
  /** What is left when it is over. */
  readonly picture: string;
}

/** How often the agent looks is not for sure; what it changes is. */
export const isLook = ({ program }: Call): boolean => ['lvm-fullreport', 'blkid', 'wipefs'].includes(program);

/** Before and after a look everything is the same, so one of them will do. */
export const shotsAt = (calls: readonly Call[]): readonly Shot[] =>
  calls.flatMap((call) =>
    (isLook(call) ? (['before'] as const) : (['before', 'after'] as const)).map((when) => ({ ...call, when })),
  );

export class Campaign {
  readonly #scene: Scene;
  readonly #way: Way;
  readonly #names = new Names();
  kills = 0;
  /** Calls of the rehearsal that did not come. */
  readonly missed: Shot[] = [];

  constructor(scene: Scene, way: Way) {
    this.#scene = scene;
    this.#way = way;
  }

  /** What is left after each phase, and what is called in each, when nobody is killed. */
  async rehearse(): Promise<ReadonlyMap<Phase, Rehearsed>> {
    const rehearsed = new Map<Phase, Rehearsed>();
    for (const phase of this.#way.acts.flat()) rehearsed.set(phase, await this.#enact(phase, 'rehearsal'));
    await this.#scene.kills.seesEverything();
    const pictures = [...rehearsed.values()].map(({ picture }) => picture);
    const { cryptSecret } = this.#way.annotations;
    expect(pictures.at(0)).toContain(`mkfs.ext4: 1, luksFormat: ${cryptSecret === undefined ? 0 : 1}`);
    expect(pictures.at(-1)).not.toMatch(/NAME|holdfast(-|\.dev\/)/);
    return rehearsed;
  }

  /** The n-th shot of each phase, where it has so many. What comes after the last of them, and takes nothing away, is left out. */
  async round(
    n: number,
    rehearsed: ReadonlyMap<Phase, Rehearsed>,
    shots: ReadonlyMap<Phase, readonly Shot[]>,
  ): Promise<void> {
    const { acts } = this.#way;
    const between = acts.slice(1, -1);
    const isShotAt = (act: readonly Phase[]) => act.some((phase) => shots.get(phase)?.[n] !== undefined);
    // What a phase leaves depends on those before it.
    const played = [...acts.slice(0, 1), ...between.slice(0, between.findLastIndex(isShotAt) + 1), ...acts.slice(-1)];
    for (const phase of played.flat()) await this.#play(phase, `round-${n}`, rehearsed, shots.get(phase)?.[n]);
  }

  async #play(phase: Phase, name: string, rehearsed: ReadonlyMap<Phase, Rehearsed>, shot?: Shot): Promise<void> {
    const what = shot
      ? `killed ${shot.when} ${shot.program} ${shot.nth} of ${phase.name}`
      : `undisturbed ${phase.name}`;
    const { picture, isKilled } = await this.#enact(phase, name, shot).catch((cause) => {
      throw new Error(`${what}: ${cause}`, { cause });
    });
    expect(picture, what).toEqual(rehearsed.get(phase)?.picture);
    if (isKilled) this.kills++;
    else if (shot) this.missed.push(shot);
  }

  async #enact(phase: Phase, name: string, shot?: Shot): Promise<Recorded & Rehearsed> {
    const { kills } = this.#scene;
    await kills.aim(shot);
    await phase.act(this.#scene, name);
    const picture = await this.#picture(name);
    const recorded = await kills.record();
    if (phase === this.#way.acts.at(-1)?.at(-1)) await this.#removePool();
    return { ...recorded, picture: `${picture}${formats(recorded)}` };
  }

  /** A pool outlives its volumes. The next one is to have it made anew. */
  async #removePool(): Promise<void> {
    const { thinPool } = this.#way.annotations;
    if (thinPool !== undefined) await this.#scene.node.guest.output('lvremove', '--yes', `storage_bulk/${thinPool}`);
  }

  /** Everything of the node and the API that a volume leaves its traces on, with its own names taken out. */
  async #picture(name: string): Promise<string> {
    const { node } = this.#scene;
    const script = `
      lvs --all --noheadings --separator ' ' --options lv_name,lv_size,lv_attr,lv_tags
      dmsetup info --columns --noheadings --sort name --options name,suspended
      findmnt --noheadings --raw --output TARGET,SOURCE,FSTYPE,OPTIONS | grep -e /mnt/pv
      stat --file-system --format '%b blocks' /mnt/pv/*
      lsattr -d /mnt/pv/*
      ls -A /mnt/pv
      ls -A /run/holdfast/frozen
      for each in /dev/storage_bulk/*; do cryptsetup luksDump "$each" | grep -e ': luks2'; done`;
    const { stdout } = await node.guest.run(['sh', '-c', script]);
    const volumes = await Promise.all([name, snapshotOf(name)].map((each) => node.find(each)));
    this.#names.learn(volumes);
    return this.#names.takenOut(`${stdout}${JSON.stringify(volumes.map(written), undefined, 1)}`, name);
  }
}

/** How often something was formatted to the end. */
function formats({ ended }: Recorded): string {
  const times = (word: string) => ended.filter((line) => line.startsWith('0 ') && line.includes(word)).length;
  return ['mkfs.ext4', 'luksFormat'].map((word) => `${word}: ${times(word)}`).join(', ');
}

const written = (volume: PersistentVolume | undefined) =>
  volume && { annotations: volume.metadata.annotations, finalizers: volume.metadata.finalizers };

/** What is another in each round. A volume leaves some of it behind in the trash. */
class Names {
  readonly #uids = new Set<string>();
  readonly #logicalVolumes = new Set<string>();

  learn(volumes: readonly (PersistentVolume | undefined)[]): void {
    for (const { uid, annotations } of volumes.flatMap((volume) => volume?.metadata ?? [])) {
      if (uid !== undefined) this.#uids.add(uid);
      const logicalVolume = annotations?.['holdfast.dev/logical-volume'];
      if (logicalVolume !== undefined) this.#logicalVolumes.add(logicalVolume);
    }
  }

  takenOut(text: string, name: string): string {
    const known: readonly (readonly [string, string])[] = [
      ...[...this.#uids].map((uid) => [uid, 'UID'] as const),
      ...[...this.#logicalVolumes].map((uuid) => [uuid, 'UUID'] as const),
      [name, 'NAME'],
      [name.replaceAll('-', '--'), 'NAME'],
    ];
    return known
      .reduce((rest, [each, placeholder]) => rest.replaceAll(each, placeholder), text)
      .replace(/trash\+NAME\+[0-9a-f]{8}/g, 'trash+NAME')
      .replace(/trashed=\d+/g, 'trashed');
  }
}
