/** Makes filesystems, as many as are asked for at the same time. */
import { Retry } from '../kit/controller/outcome.ts';
import { failureOf } from '../kit/failure-of.ts';
import { CommandError } from '../kit/host/command.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Known } from '../kit/known.ts';
import { type Command, makeFileSystem, makeFileSystems, type NewFileSystem } from './commands.ts';
import { isStillOn, unknown } from './signature.ts';

/** On the device of this number, whose bytes are in this volume group, and over this, or over nothing. */
export type Format = NewFileSystem & {
  readonly vg: string;
  readonly number: DeviceNumber | undefined;
  readonly over: string | undefined;
};

export interface FormattingParts {
  readonly run: (command: Command) => Promise<void>;
  /** Rejects when the path leads to another device by now. */
  readonly isStill: (path: string, number: DeviceNumber | undefined) => Promise<void>;
  /** What is on these devices of one group now, in their order. For one that does not answer nobody waits long: it is unknown. */
  readonly look: (devices: readonly string[], vg: string) => Promise<readonly Known<string | undefined>[]>;
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

  /**
   * Why there will be none of each; nothing where there is one. Those of one volume group end together, so that what comes next is done
   * for all of them at once; a group whose disks hang keeps no other waiting. Never rejects.
   */
  begin(formats: readonly Format[]): readonly Promise<Error | undefined>[] {
    const groups = Map.groupBy(formats, ({ vg }) => vg);
    const ended = new Map([...groups].map(([vg, some]) => [vg, this.#formatGroup(some)]));
    return formats.map(async (each) => (await ended.get(each.vg))?.get(each));
  }

  async #formatGroup(formats: readonly Format[]): Promise<ReadonlyMap<Format, Error>> {
    const failures = new Map<Format, Error>();
    const failure = await failureOf(() => this.#formatAll(formats, failures));
    if (failure) for (const each of formats) failures.set(each, failure);
    return failures;
  }

  /** One process starts all that are alike: we are large, and slow to start some. */
  async #formatAll(formats: readonly Format[], failures: Map<Format, Error>): Promise<void> {
    const alike = Map.groupBy(formats, (each) => (this.#alone.has(each.device) ? each.device : howOf(each)));
    await Promise.all(
      alike.values().map(async (group) => {
        for (let from = 0; from < group.length; from += AT_ONCE)
          await this.#formatSome(group.slice(from, from + AT_ONCE), failures);
      }),
    );
  }

  async #formatSome(group: readonly Format[], failures: Map<Format, Error>): Promise<void> {
    await this.#look(group, failures);
    const checked = group.filter((each) => !failures.has(each));
    const failure = await this.#formatAlike(checked);
    if (failure) for (const each of checked) failures.set(each, failure);
  }

  /**
   * Just before. Of a volume that was just made this is the only time that anybody reads it: that nothing is on it is what LVM said. Any
   * other was decided on a while ago, when others were made, and somebody may have written to it since.
   */
  async #look(group: readonly Format[], failures: Map<Format, Error>): Promise<void> {
    const found = await this.#parts.look(
      group.map(({ device }) => device),
      group[0]?.vg ?? '',
    );
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
