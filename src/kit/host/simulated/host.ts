/** A host as one process of ours sees it, on a simulated machine. When that process is killed this stops answering; the machine stays. */
import type { BlockDevices } from '../block-device.ts';
import type { CommandOptions, CommandResult, Commands } from '../command.ts';
import type { Files } from '../files.ts';
import type { Host } from '../host.ts';
import type { HostTables } from '../tables.ts';
import { simulatedCommands } from './commands.ts';
import { DescriptorTable, simulatedDevices } from './devices.ts';
import { simulatedFiles } from './files.ts';
import type { SimulatedMachine } from './machine.ts';
import { SimulatedProcess } from './process.ts';
import { simulatedTables } from './tables.ts';

export class SimulatedHost implements Host {
  readonly files: Files;
  readonly devices: BlockDevices;
  readonly tables: HostTables;
  readonly process: SimulatedProcess;
  /** What this process has open. */
  readonly descriptors = new DescriptorTable();
  readonly #commands: Commands;

  constructor(machine: SimulatedMachine, pid: number) {
    const { clock, faults, tree } = machine;
    const process = new SimulatedProcess(pid, clock, faults, machine.calls);
    process.onDeath(() => this.descriptors.clear());
    this.process = process;
    this.files = simulatedFiles(tree, process, clock);
    this.devices = simulatedDevices(machine, process, this.descriptors);
    this.tables = simulatedTables(machine, process);
    this.#commands = simulatedCommands(machine, process, this.descriptors);
  }

  exec(argv: readonly string[], options?: CommandOptions): Promise<CommandResult> {
    return this.#commands.exec(argv, options);
  }

  isInstalled(program: string): Promise<boolean> {
    return this.#commands.isInstalled(program);
  }
}
