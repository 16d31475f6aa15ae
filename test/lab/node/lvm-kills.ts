/**
 * Kills the agent of a node before or after one of the programs that it runs. Each of these is found in a place before its own, where a
 * script has its name: that writes down who was called, and kills who has called it when it is the one that was aimed at.
 */
import { expect } from 'vitest';
import type { LvmNode } from './lvm-node.ts';
import type { Program } from './program.ts';

/** Every program that the agent runs. `setpriv` becomes another one, which is here itself. */
const PROGRAMS = [
  ...['lvm', 'lvs', 'lvcreate', 'lvchange', 'lvextend', 'lvremove', 'lvrename'],
  ...['mkfs.ext4', 'e2fsck', 'resize2fs', 'blkid', 'wipefs', 'xargs', 'mount', 'umount', 'chattr', 'systemctl'],
  ...['cryptsetup', 'blkdiscard', 'fsfreeze'],
];
/** Where it looks for programs first. */
const BEFORE_ALL_OTHERS = '/usr/local/sbin';
const STATE = '/run/kills';

/** One call of a program: the second `lvchange`, say. What is looked at more or less often does not change what that is. */
export interface Call {
  readonly program: string;
  readonly nth: number;
}

export interface Shot extends Call {
  readonly when: 'before' | 'after';
}

/** Only with what the shell has itself, since starting a program takes long in a guest. */
const script = (program: string, real: string, more = ''): string => `#!/bin/sh
read -r agent 2>/dev/null <${STATE}/agent
[ "$PPID" = "$agent" ] || exec ${real} "$@"
name=${program}
[ $name = lvm ] && name="lvm-\${1:-script}"
echo "$$ $name $*" >>${STATE}/calls
nth=0
while read -r pid other rest; do
  [ "$other" = "$name" ] && nth=$((nth + 1))
  [ "$pid" = $$ ] && break
done <${STATE}/calls
read -r when aim at <${STATE}/aim
[ "$aim $at" = "$name $nth" ] || when=never
if [ $when = before ]; then
  echo >${STATE}/aim
  echo "before $name $nth" >>${STATE}/killed
  kill -KILL "$PPID"
  exit 1
fi
${more}
${real} "$@"
status=$?
echo "$status $name $*" >>${STATE}/ended
if [ $when = after ]; then
  echo >${STATE}/aim
  echo "after $name $nth" >>${STATE}/killed
  kill -KILL "$PPID"
fi
exit $status
`;

/** To derive a key takes a guest the better part of a minute otherwise, and what keys are derived by makes no difference here. */
const DERIVE_QUICKLY =
  'case $1 in luksFormat | luksAddKey) set -- "$@" --pbkdf-memory 32 --pbkdf-force-iterations 4 ;; esac';

/** Says which process it is before it becomes the agent. */
const LAUNCHER = ['sh', '-c', `echo $$ >${STATE}/agent && exec "$@"`, 'sh'];

export class Kills {
  readonly #node: LvmNode;
  /** Of the next agent that is started. */
  flags: readonly string[] = [];
  #agent: Program | undefined;

  private constructor(node: LvmNode) {
    this.#node = node;
  }

  static async of(node: LvmNode): Promise<Kills> {
    const { guest } = node;
    for (const program of PROGRAMS) {
      const real = await guest.output('sh', '-c', `command -v ${program}`);
      const more = program === 'cryptsetup' ? DERIVE_QUICKLY : '';
      await guest.write(`${BEFORE_ALL_OTHERS}/${program}`, script(program, real, more), '0755');
    }
    await guest.output('mkdir', STATE);
    return new Kills(node);
  }

  /** From now on calls are counted anew, and the agent is killed at this one. */
  async aim(shot?: Shot): Promise<void> {
    const aim = shot ? `${shot.when} ${shot.program} ${shot.nth}` : '';
    const files = `cd ${STATE} && : >calls && : >ended && : >killed && echo "$1" >aim`;
    await this.#node.guest.output('sh', '-c', files, 'sh', aim);
  }

  /** Waits until this holds, and starts another agent whenever there is none. */
  async until<T>(what: string, holds: () => Promise<T>): Promise<T> {
    return await this.#node.eventually(what, async () => {
      await this.#revive();
      return await holds();
    });
  }

  /** The agent is another one from now on, with these flags. */
  async goOnWith(flags: readonly string[]): Promise<void> {
    this.flags = flags;
    const agent = this.#agent;
    agent?.kill('SIGKILL');
    await agent?.ended();
    this.#agent = undefined;
  }

  async #revive(): Promise<void> {
    if (this.#agent) return;
    const agent = await this.#node.launch(LAUNCHER, '--mount-namespace=own', ...this.flags);
    this.#agent = agent;
    const isDead = () => {
      if (this.#agent === agent) this.#agent = undefined;
    };
    agent.ended().then(isDead, isDead);
  }

  /** What has happened since the aim was taken. It is not taken any longer. */
  async record(): Promise<Recorded> {
    const files = ['calls', 'ended', 'killed'].map((file) => `cat ${file}; echo ---`);
    const text = await this.#node.guest.output('sh', '-c', `cd ${STATE}; echo >aim; ${files.join('; ')}`);
    const [calls = [], ended = [], killed = []] = text.split('---').map(linesOf);
    return { calls: numbered(calls), ended, isKilled: killed.length > 0 };
  }

  /** There is no program of which no calls would be counted. */
  async seesEverything(): Promise<void> {
    const text = await this.until('the metrics of an agent', () => this.#node.metrics());
    const metrics = text.matchAll(/^holdfast_lvm_commands_total\{[^}]*program="([^"]+)"/gm);
    expect(PROGRAMS).toEqual(expect.arrayContaining([...metrics].map(([, program]) => program)));
  }
}

export interface Recorded {
  readonly calls: readonly Call[];
  /** The code that each program ended with, and all that it was told. */
  readonly ended: readonly string[];
  readonly isKilled: boolean;
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

function numbered(lines: readonly string[]): readonly Call[] {
  const counts = new Map<string, number>();
  return lines.map((line) => {
    const program = line.split(' ')[1] ?? '';
    const nth = (counts.get(program) ?? 0) + 1;
    counts.set(program, nth);
    return { program, nth };
  });
}
