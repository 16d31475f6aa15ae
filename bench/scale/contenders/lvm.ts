import { systemClock } from '../../../src/kit/clock/clock.ts';
import { scaledClock } from '../../../src/kit/clock/scaled.ts';
import { SimulatedMachine } from '../../../src/kit/host/simulated/machine.ts';
import { DEFAULT_MOUNT_BASE, DEFAULT_THIN_LIMITS, STORAGE_CLASS } from '../../../src/lvm/contract.ts';
import { lvm } from '../../../src/lvm/controller.ts';
import { SimulatedFileSystems } from '../../../src/lvm/simulated-filesystems.ts';
import { SimulatedLvm } from '../../../src/lvm/simulated-lvm.ts';
import type { Contend } from '../../measure/contender.ts';
import type { Access } from '../../world/access.ts';
import { hear } from '../heard.ts';
import { measured } from '../measured.ts';
import { GROUP, OWN_NODE, VOLUMES_OF_A_NODE } from '../scenes.ts';

/** What the programs of a machine take in time is not what is measured. */
const HASTE = 200;

const settings = {
  node: OWN_NODE,
  namespace: 'default',
  mountBase: DEFAULT_MOUNT_BASE,
  storageClasses: [STORAGE_CLASS],
  secretNamespaces: [],
  autoRelease: false,
  thinLimits: DEFAULT_THIN_LIMITS,
  resyncMs: 600_000,
  trashTtlMs: 259_200_000,
  sanityChecks: false,
};

/** Until each of its volumes is mounted, and then while others change theirs. */
const contend: Contend<{ readonly access: Access }> = async ({ access }, meter) => {
  const machine = new SimulatedMachine(scaledClock(systemClock, HASTE), OWN_NODE);
  const simulated = new SimulatedLvm(machine);
  new SimulatedFileSystems(simulated);
  simulated.addGroup(GROUP, 1024n);
  for (const directory of [DEFAULT_MOUNT_BASE, '/run', '/proc']) machine.tree.mkdir(directory);
  const job = await measured(
    {
      name: 'lvm',
      access,
      setUp: (parts) => lvm(parts, settings, machine.host(), { root: '' }),
      isDone: async (each) => (await each.counted('holdfast_lvm_volumes', { state: 'ready' })) >= VOLUMES_OF_A_NODE,
    },
    meter,
  );
  await hear(access, meter);
  await job.end();
};

export default contend;
