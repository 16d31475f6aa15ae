/** Makes filesystems, as many as are asked for at the same time. */
import { Retry } from '../kit/controller/outcome.ts';
import { failureOf } from '../kit/failure-of.ts';
import { CommandError } from '../kit/host/command.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Known } from '../kit/known.ts';
import { type Command, makeFileSystem, makeFileSystems, type NewFileSystem } from './commands.ts';
import { isStillOn, unknown } from './signature.ts';

/** On the device that was looked at, which has this number, and over what was found on it then. */
export type Format = NewFileSystem & { readonly number: DeviceNumber | undefined; readonly over: string | undefined };

export interface FormattingParts {
  readonly run: (command: Command) => Promise<void>;
  /** Rejects when the path leads to another device by now. */
  readonly isStill: (path: string, number: DeviceNumber | undefined) => Promise<void>;
  /** What is on these devices now, in their order. */
  readonly look: (devices: readonly string[]) => Promise<readonly Known<string | undefined>[]>;
}

/** So few that the last of them is not begun long after it was looked at. */
const AT_ONCE = 16;

export class Formatting {
  readonly #parts: FormattingParts;
  /** Devices on which that has failed, or beside which: to learn why, it is done for each by itself. */
  readonly #alone = new Set<string>();

  constructor(parts: FormattingParts) {
    this.#parts = parts;
  }

  /** Says for each why there is none; nothing where there is one. One process starts them all: we are large, and slow to start some. */
  async formatAll(formats: readonly Format[]): Promise<readonly (Error | undefined)[]> {
    const failures = new Map<Format, Error>();
    const alike = Map.groupBy(formats, (each) => (this.#alone.has(each.device) ? each.device : howOf(each)));
    await Promise.all(
      alike.values().map(async (group) => {
        for (let from = 0; from < group.length; from += AT_ONCE)
          await this.#formatSome(group.slice(from, from + AT_ONCE), failures);
      }),
    );
    return formats.map((each) => failures.get(each));
  }

  async #formatSome(group: readonly Format[], failures: Map<Format, Error>): Promise<void> {
    await this.#lookAgain(group, failures);
    const checked = group.filter((each) => !failures.has(each));
    const failure = await this.#formatAlike(checked);
    if (failure) for (const each of checked) failures.set(each, failure);
  }

  /** Just before: it was decided on a while ago, when others were made, and somebody may have written to it since. */
  async #lookAgain(group: readonly Format[], failures: Map<Format, Error>): Promise<void> {
    const found = await this.#parts.look(group.map(({ device }) => device));
    for (const [index, each] of group.entries()) {
      const { device, over, number } = each;
      const failure = await failureOf(async () => {
        isStillOn(device, over, found[index] ?? unknown('it was not looked at'));
        await this.#parts.isStill(device, number);
      });
      if (failure) failures.set(each, failure);
    }
  }

  async #formatAlike(group: readonly Format[]): Promise<Error | undefined> {
    const [first, ...others] = group;
    if (!first) return undefined;
    if (others.length === 0) return await this.#formatAlone(first);
    const failure = await failureOf(() => this.#parts.run(makeFileSystems([first, ...others])));
    if (!failure) return undefined;
    for (const { device } of group) this.#alone.add(device);
    const why = failure instanceof CommandError ? failure.brief : failure.message;
    return new Retry(`of ${group.length} filesystems that were made together, not all are: each is looked at (${why})`);
  }

  async #formatAlone(format: Format): Promise<Error | undefined> {
    const failure = await failureOf(() => this.#parts.run(makeFileSystem(format)));
    if (!failure) this.#alone.delete(format.device);
    return failure;
  }
}

/** What mkfs is told, without the device. */
const howOf = (format: NewFileSystem): string => makeFileSystem(format).argv.slice(0, -1).join('\0');
