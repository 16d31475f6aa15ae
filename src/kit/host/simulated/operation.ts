/** Every call that reaches the simulated machine, as a value: what faults are matched against and what the journal holds. */
import { CommandError } from '../command.ts';
import { deviceError } from '../device-error.ts';
import { FileError } from '../file-error.ts';

type Verb =
  | 'exec'
  | 'find-program'
  | `file.${'stat' | 'lstat' | 'readlink' | 'realpath' | 'read' | 'list' | 'write' | 'mkdir' | 'remove' | 'watch'}`
  | `device.${'open' | 'facts' | 'read' | 'write' | 'sync'}`
  | `table.${'mounts' | 'swaps' | 'loops' | 'open-devices' | 'holders'}`;

export interface Operation {
  readonly verb: Verb;
  /** The path, program or device number that it is done to. */
  readonly target: string;
  /** Whether it may leave the machine other than it was. */
  readonly changes: boolean;
  readonly argv?: readonly string[];
  readonly position?: number;
  readonly length?: number;
}

/** How the operation fails when the machine under it does. */
export function failureOf(operation: Operation): Error {
  const { verb, target, argv } = operation;
  if (verb === 'exec') return new CommandError(argv ?? [target], { kind: 'exited', code: 1 });
  if (verb.startsWith('device.')) return deviceError(verb.slice('device.'.length), target, 'EIO');
  return new FileError(verb.replace(/^.*\./, ''), target, 'EIO');
}
