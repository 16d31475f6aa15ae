/** The tables of a simulated machine as one of its processes sees them. */
import type { DeviceNumber } from '../device-number.ts';
import type { Holders } from '../holders.ts';
import type { Opener, OpenSurvey } from '../open-survey.ts';
import type { HostTables } from '../tables.ts';
import type { SimulatedMachine } from './machine.ts';
import type { Operation } from './operation.ts';
import type { SimulatedProcess } from './process.ts';

export function simulatedTables(machine: SimulatedMachine, process: SimulatedProcess): HostTables {
  const table = <T>(verb: Operation['verb'], effect: () => T) =>
    process.perform({ verb, target: machine.name, changes: false }, effect);
  return {
    mounts: () => table('table.mounts', () => [...machine.mounts]),
    swaps: () => table('table.swaps', () => [...machine.swaps]),
    loops: () => table('table.loops', () => [...machine.loops]),
    openDevices: () => table('table.open-devices', () => survey(machine, process.pid)),
    holders: (numbers) => table('table.holders', () => holders(machine, numbers)),
  };
}

function holders(machine: SimulatedMachine, numbers: readonly DeviceNumber[]): Holders {
  const found = machine.strangers.filter(({ device }) => numbers.includes(device));
  return {
    holders: found.map(({ pid, command }) => ({ pid, command, holds: ['open file'] })),
    unseen: machine.unseen.map(({ reason }) => reason),
  };
}

function survey(machine: SimulatedMachine, self: number): OpenSurvey {
  const openers = new Map<DeviceNumber, Opener[]>();
  const add = (device: DeviceNumber, opener: Opener) => openers.set(device, [...(openers.get(device) ?? []), opener]);
  for (const { device, ...opener } of machine.strangers) add(device, { ...opener, self: false });
  for (const { process, descriptors } of machine.hosts)
    for (const [fd, { number }] of descriptors)
      add(number, { pid: process.pid, command: 'holdfast', fd, self: process.pid === self });
  for (const { pid, command, inherited } of machine.running)
    for (const [index, { number }] of inherited.entries()) add(number, { pid, command, fd: 3 + index, self: false });
  return { openers, unseen: [...machine.unseen] };
}
