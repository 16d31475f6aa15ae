/** A sandbox in a process of its own: what it takes is not counted to the job that is measured. */
import { createAuthority } from '../../src/kit/certificates.ts';
import { systemClock } from '../../src/kit/clock/clock.ts';
import { Cluster } from '../../src/sandbox/cluster.ts';
import { listen } from '../../src/sandbox/http.ts';
import { ADMIN } from '../../src/sandbox/server/target.ts';
import type { Access } from '../world/access.ts';
import { Scene, type SceneName } from './scenes.ts';

export type ToSandbox =
  | { readonly scene: SceneName; readonly size: number }
  /** How many volumes that are none of the measured agent's. */
  | { readonly change: number };
export type FromSandbox = { readonly access: Access; readonly residentMb: number };

const cluster = new Cluster({ clock: systemClock, random: Math.random });
let scene: Scene | undefined;

process.on('message', (order: ToSandbox) => {
  follow(order).catch((error) => {
    console.error(error);
    process.exit(1);
  });
});
process.once('disconnect', () => process.exit());

async function follow(order: ToSandbox): Promise<void> {
  if ('change' in order) return await scene?.change(order.change);
  scene = new Scene(cluster, order.size);
  await scene.fill(order.scene);
  const authority = createAuthority('holdfast-scale');
  const certificate = authority.issueServer({ commonName: 'sandbox' }, ['127.0.0.1']);
  const { url } = await listen(cluster.server, certificate, 0, systemClock);
  const access = { url, ca: authority.certificate, token: cluster.access.tokens.give(ADMIN) };
  const ready: FromSandbox = { access, residentMb: process.memoryUsage.rss() / 2 ** 20 };
  process.send?.(ready);
}
