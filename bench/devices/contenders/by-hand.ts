/** The same by the system's own programs: those for one device one after another, all devices at the same time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Contend } from '../../measure/contender.ts';
import { WIPE } from './wipe.ts';

export interface ByHand {
  /** For each device, its commands. */
  readonly devices: readonly (readonly (readonly [string, ...string[]])[])[];
}

const contend: Contend<ByHand> = async ({ devices }, meter) => {
  await meter.measure(WIPE, () =>
    Promise.all(
      devices.map(async (commands) => {
        for (const command of commands) await succeeds(command);
      }),
    ),
  );
};

async function succeeds([program, ...args]: readonly [string, ...string[]]): Promise<void> {
  const [code] = (await once(spawn(program, args, { stdio: 'ignore' }), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
}

export default contend;
