/** What is done with a volume while its agent is killed, each of it until it has come about. */
import { parse } from 'yaml';
import { NAMESPACE } from '../../integration/agents.ts';
import type { Kills } from './lvm-kills.ts';
import { type LvmNode, MIB, type PersistentVolume, PREFIX } from './lvm-node.ts';

export interface Phase {
  readonly name: string;
  readonly act: (scene: Scene, volume: string) => Promise<void>;
}

export interface Volumes {
  readonly annotations: Readonly<Record<string, string>>;
  /** As small as it can be, since a guest is slow; and what it grows to. */
  readonly sizes: readonly [string, string];
}

const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const FLAGS = [`--secret-namespaces=${NAMESPACE}`];
const FLAGS_TO_EMPTY = [...FLAGS, '--trash-ttl=1s', '--resync-period=5s'];

/** A node with one volume at a time on it. */
export class Scene {
  readonly node: LvmNode;
  readonly kills: Kills;
  readonly volumes: Volumes;
  #keys = 0;

  constructor(node: LvmNode, kills: Kills, volumes: Volumes) {
    this.node = node;
    this.kills = kills;
    this.volumes = volumes;
    kills.flags = FLAGS;
  }

  async storeKey(): Promise<void> {
    await this.node.plane.admin.post(SECRETS, { metadata: { name: 'key' }, data: { key: base64(this.key) } });
  }

  /** What is in the Secret. */
  get key(): string {
    return `the key ${this.#keys} that nobody guesses`;
  }

  /** Gives the key before. */
  async nextKey(): Promise<string> {
    const before = this.key;
    this.#keys++;
    const data = { key: base64(this.key), previousKey: base64(before) };
    await this.node.plane.admin.patch(`${SECRETS}/key`, { data });
    return before;
  }

  async isReady(name: string, size?: string): Promise<void> {
    await this.kills.until(`${name} to be ready`, async () => {
      const { metadata } = await this.node.volume(name);
      const { [`${PREFIX}status`]: status, [`${PREFIX}size`]: found } = metadata.annotations ?? {};
      if (status !== 'Processed' || (size !== undefined && found !== `${Number.parseInt(size, 10) * MIB}`))
        throw new Error(`${name}: ${JSON.stringify(metadata.annotations)}`);
    });
  }

  async isGone(name: string): Promise<void> {
    await this.kills.until(`${name} to be gone`, async () => {
      if (await this.node.find(name)) throw new Error(`${name} is there`);
    });
  }

  async hasItsContent(name: string): Promise<void> {
    await this.node.guest.output('sh', '-c', 'cd "$1" && sha256sum --check --quiet sum', 'sh', `/mnt/pv/${name}`);
  }

  async opens(name: string, key: string): Promise<boolean> {
    const command = ['cryptsetup', 'open', '--test-passphrase', '--key-file', '-', `/dev/storage_bulk/${name}`];
    return (await this.node.guest.run(command, { input: key })).status === 0;
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const make: Phase = {
  name: 'make',
  async act(scene, name) {
    const { annotations, sizes } = scene.volumes;
    await scene.node.declare(name, { storage: sizes[0], annotations });
    await scene.isReady(name, sizes[0]);
    const fill = 'cd "$1" && head -c 1M /dev/urandom >content && sha256sum content >sum && sync -f sum';
    await scene.node.guest.output('sh', '-c', fill, 'sh', `/mnt/pv/${name}`);
  },
};

export const grow: Phase = {
  name: 'grow',
  async act(scene, name) {
    const [, size] = scene.volumes.sizes;
    await scene.node.grow(name, size);
    await scene.isReady(name, size);
    await scene.hasItsContent(name);
  },
};

export const rotate: Phase = {
  name: 'rotate',
  async act(scene, name) {
    const before = await scene.nextKey();
    await scene.kills.until('only the new key to open it', async () => {
      if (!(await scene.opens(name, scene.key))) throw new Error('the new key does not');
      if (await scene.opens(name, before)) throw new Error('the one before still does');
    });
    await scene.hasItsContent(name);
  },
};

export const snapshotOf = (name: string): string => `${name}-then`;

export const snapshot: Phase = {
  name: 'snapshot',
  async act(scene, name) {
    const { cryptSecret } = scene.volumes.annotations;
    const annotations = { snapshotOf: name, ...(cryptSecret && { cryptSecret }) };
    await scene.node.declare(snapshotOf(name), { storage: '16Mi', annotations });
    await scene.isReady(snapshotOf(name));
    await scene.hasItsContent(snapshotOf(name));
    await scene.node.guest.output('sh', '-c', 'echo more >"$1" && sync -f "$1"', 'sh', `/mnt/pv/${name}/afterwards`);
  },
};

export const drop: Phase = {
  name: 'drop the snapshot',
  async act(scene, name) {
    await scene.node.delete(snapshotOf(name));
    await scene.isGone(snapshotOf(name));
    await scene.hasItsContent(name);
  },
};

export const trash: Phase = {
  name: 'trash',
  async act(scene, name) {
    await scene.node.delete(name);
    await scene.isGone(name);
  },
};

export const restore: Phase = {
  name: 'restore',
  async act(scene, name) {
    const manifest: PersistentVolume = parse(await scene.node.command('restore', name));
    await scene.node.apply(manifest);
    await scene.isReady(name);
    await scene.hasItsContent(name);
  },
};

export const empty: Phase = {
  name: 'empty the trash',
  async act(scene, name) {
    await trash.act(scene, name);
    await scene.kills.goOnWith(FLAGS_TO_EMPTY);
    await scene.kills.until('the trash to be empty', async () => {
      const left = await scene.node.lvs();
      if (left.length > 0) throw new Error(`there are ${left.join(', ')}`);
    });
    await scene.kills.goOnWith(FLAGS);
  },
};

export const remove: Phase = {
  name: 'remove',
  async act(scene, name) {
    await scene.node.delete(name);
    await scene.isGone(name);
  },
};
