/** What every way to run commands must do, the real one and the simulated one. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../clock/virtual.ts';
import { CommandError, type Commands } from '../command.ts';

/**
 * On the subject's machine these programs are installed: `say` writes its arguments, each on a line; `complain` writes its second
 * argument to stderr and exits with its first; `copy` writes its input; `flood` writes a million times `x`; `die` kills itself
 * with SIGKILL; `hang` never ends.
 */
export interface CommandsSubject {
  readonly commands: Commands;
  readonly clock: VirtualClock;
  /** Resolves when `hang` has started. */
  hanging(): Promise<void>;
  dispose(): Promise<void>;
}

export function commandsContract(name: string, make: () => Promise<CommandsSubject>): void {
  describe(`${name} commands`, () => {
    let subject: CommandsSubject;
    beforeEach(async () => {
      subject = await make();
    });
    afterEach(() => subject.dispose());

    it('give the program its arguments as they are, and its output back', async () => {
      expect(await subject.commands.exec(['say', '$HOME', '; x', 'ü'])).toEqual({
        code: 0,
        stdout: '$HOME\n; x\nü\n',
        stderr: '',
        truncated: { stdout: false, stderr: false },
      });
    });

    it('give the program its input', async () => {
      expect(await subject.commands.exec(['copy'], { input: Buffer.from('a secret') })).toMatchObject({
        stdout: 'a secret',
      });
      expect(await subject.commands.exec(['copy'])).toMatchObject({ stdout: '' });
    });

    it('fail with the code and the complaint', async () => {
      const error = await failure(subject.commands.exec(['complain', '3', 'no such group']));
      expect(error).toMatchObject({ outcome: { kind: 'exited', code: 3 }, output: { stderr: 'no such group\n' } });
      expect(error.message).toContain('ended with code 3: no such group.');
    });

    it('succeed with another code when told so', async () => {
      const options = { successCodes: [0, 3] };
      expect(await subject.commands.exec(['complain', '3', 'fine'], options)).toMatchObject({
        code: 3,
        stderr: 'fine\n',
      });
    });

    it('keep the beginning of a long output', async () => {
      const result = await subject.commands.exec(['flood'], { maxOutputBytes: 10 });
      expect(result).toMatchObject({ stdout: 'x'.repeat(10), truncated: { stdout: true, stderr: false } });
    });

    it('tell a program that was killed', async () => {
      expect(await failure(subject.commands.exec(['die']))).toMatchObject({
        outcome: { kind: 'killed', signal: 'SIGKILL' },
      });
    });

    it('tell a program that is not there, and know beforehand', async () => {
      expect(await failure(subject.commands.exec(['absent']))).toMatchObject({
        outcome: { kind: 'not-found' },
        mayHaveActed: false,
      });
      expect(await failure(subject.commands.exec(['/opt/no/such/say']))).toMatchObject({
        outcome: { kind: 'not-found' },
      });
      expect(await subject.commands.isInstalled('/opt/no/such/say')).toBe(false);
      expect(await subject.commands.isInstalled('absent')).toBe(false);
      expect(await subject.commands.isInstalled('say')).toBe(true);
    });

    it('refuse what cannot be run', async () => {
      await expect(subject.commands.exec([])).rejects.toThrow(TypeError);
      await expect(subject.commands.exec(['say', 'a\0b'])).rejects.toThrow(TypeError);
      await expect(subject.commands.exec(['./say'])).rejects.toThrow(TypeError);
    });

    it('end a program when its time is over', async () => {
      const ended = failure(subject.commands.exec(['hang'], { timeoutMs: 5_000 }));
      await subject.hanging();
      await subject.clock.advance(5_000);
      expect(await ended).toMatchObject({ outcome: { kind: 'timed-out', afterMs: 5_000, ended: true } });
      expect(subject.clock.pending).toBe(0);
    });

    it('end a program that is no longer wanted', async () => {
      const abort = new AbortController();
      const ended = failure(subject.commands.exec(['hang'], { signal: abort.signal }));
      await subject.hanging();
      abort.abort('shutting down');
      expect(await ended).toMatchObject({ outcome: { kind: 'aborted', ended: true }, cause: 'shutting down' });
      expect(subject.clock.pending).toBe(0);
    });

    it('start nothing that is not wanted', async () => {
      await expect(subject.commands.exec(['say'], { signal: AbortSignal.abort('no') })).rejects.toBe('no');
    });
  });
}

async function failure(result: Promise<unknown>): Promise<CommandError> {
  const error = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CommandError)) throw new Error(`expected a CommandError, got ${error}`);
  return error;
}
