/** A simulated machine under a process of a simulation: they die together, and what goes wrong on the machine is the simulation's. */
import { CommandError } from '../../kit/host/command.ts';
import type { Host } from '../../kit/host/host.ts';
import type { Fault } from '../../kit/host/simulated/faults.ts';
import type { SimulatedHost } from '../../kit/host/simulated/host.ts';
import type { SimulatedMachine } from '../../kit/host/simulated/machine.ts';
import { mortalHost } from '../../kit/host/simulated/mortal-host.ts';
import type { Operation } from '../../kit/host/simulated/operation.ts';
import { type CallFault, PAUSE_MS } from './fault.ts';
import type { Life } from './process.ts';

/** A disk that takes longer than this to answer is called dead by most. */
const SLOW_MS = 90_000;

/** The machine as this process sees it. */
export function hostOf(machine: SimulatedMachine, life: Life): Host {
  return mortalHost(processOn(machine, life));
}

export function processOn(machine: SimulatedMachine, life: Life): SimulatedHost {
  const host = machine.host();
  machine.faults.decideBy((operation) => faultOf(life.strike(nameOf(operation)), operation, life));
  life.onDeath(() => host.process.kill());
  host.process.onDeath(() => life.kill());
  return host;
}

/** A program that only looks is another kind of call: what is lost of it was nothing. */
function nameOf({ verb, target, argv, changes }: Operation): string {
  if (verb !== 'exec') return `${verb} ${target}`;
  return `${changes ? 'exec' : 'look'} ${argv?.[0] ?? target}`;
}

function faultOf(fault: CallFault | undefined, operation: Operation, life: Life): Fault | undefined {
  switch (fault) {
    case undefined:
      return undefined;
    case 'crash-before':
    case 'crash-after':
      return { kind: fault };
    case 'pause':
      life.pause(PAUSE_MS);
      return { kind: 'stop', until: () => life.awake() };
    case 'timeout':
      return operation.verb === 'exec' ? { kind: 'hang' } : { kind: 'delay', ms: SLOW_MS };
    case 'killed':
      return { kind: 'fail', error: new CommandError(operation.argv ?? [], { kind: 'killed', signal: 'SIGKILL' }) };
    case 'lost-reply':
      return { kind: 'fail-after' };
    default:
      return { kind: 'fail' };
  }
}
