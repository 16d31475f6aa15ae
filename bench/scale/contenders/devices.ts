import type { DevicesSettings } from '../../../src/devices/contract.ts';
import { devices } from '../../../src/devices/controller.ts';
import { SimulatedDisks, STATE_DIR } from '../../../src/devices/simulated-disks.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { SimulatedMachine } from '../../../src/kit/host/simulated/machine.ts';
import type { Contend } from '../../measure/contender.ts';
import type { Access } from '../../world/access.ts';
import { hear } from '../heard.ts';
import { measured } from '../measured.ts';
import { OWN_NODE, VOLUMES_OF_A_NODE } from '../scenes.ts';

const settings: DevicesSettings = {
  node: OWN_NODE,
  namespace: 'default',
  pollingMs: 300_000,
  stateDir: STATE_DIR,
  wipesAtOnce: 8,
  wipeBandwidth: 2 ** 30,
  trustInit: false,
  dryRun: false,
};

/** Until each of its disks is a volume, and then while others change theirs. */
const contend: Contend<{ readonly access: Access }> = async ({ access }, meter) => {
  const machine = new SimulatedMachine(systemClock, OWN_NODE);
  const disks = new SimulatedDisks(machine);
  for (let disk = 0; disk < VOLUMES_OF_A_NODE; disk++) disks.add(`disk-${disk}`);
  const job = await measured(
    {
      name: 'devices',
      access,
      setUp: (parts) => devices(parts, settings, machine.host(), 'bench'),
      isDone: async (each) => (await each.counted('holdfast_devices', { state: 'available' })) >= VOLUMES_OF_A_NODE,
    },
    meter,
  );
  await hear(access, meter);
  await job.end();
};

export default contend;
