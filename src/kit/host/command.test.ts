import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommandError, type CommandOutcome, checkCommand, judge, NO_OUTPUT, showCommand } from './command.ts';

describe('a command', () => {
  it.each([
    ['no program', [], {}, /argument vector is empty/],
    ['an empty program', [''], {}, /argument vector is empty/],
    ['a relative path', ['./lvs'], {}, /bare program name or an absolute path/],
    ['a NUL byte in an argument', ['lvs', 'a\0b'], {}, /NUL byte/],
    ['a NUL byte in the environment', ['lvs'], { env: { A: '\0' } }, /NUL byte/],
    ['a closed descriptor', ['lvs'], { inheritFds: [{ fd: -1 }] }, /closed/],
  ])('with %s is refused', (_, argv, options, message) => {
    expect(() => checkCommand(argv, options)).toThrow(message);
  });

  it('is shown on one line without control characters, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.oneof(fc.nat(0xff), fc.nat(0xffff)).map((code) => String.fromCharCode(code)) })),
        (argv) => {
          expect(showCommand(argv)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        },
      ),
    );
  });

  it('is shown as it would be typed', () => {
    expect(showCommand(['mkfs.ext4', '-L', "it's", '', '/dev/vg/a'])).toBe(`mkfs.ext4 -L 'it'\\''s' '' /dev/vg/a`);
  });
});

describe('the end of a command', () => {
  it('is a success only with a code that was called one', () => {
    expect(judge(['blkid'], { kind: 'exited', code: 2 }, NO_OUTPUT, { successCodes: [0, 2] }).code).toBe(2);
    expect(() => judge(['blkid'], { kind: 'exited', code: 0 }, NO_OUTPUT, { successCodes: [2] })).toThrow(CommandError);
  });

  it('is told without the control characters of what the program said', () => {
    const error = new CommandError(
      ['lvs'],
      { kind: 'exited', code: 5 },
      { ...NO_OUTPUT, stderr: '\u001b[31mred\u007f\r\n' },
    );
    expect(error.message).toContain('ended with code 5: \\u001b[31mred\\u007f. ');
  });

  it.each<[CommandOutcome, RegExp, boolean]>([
    [{ kind: 'exited', code: 5 }, /ended with code 5\. Read what it says/, true],
    [{ kind: 'killed', signal: 'SIGSEGV' }, /was killed by SIGSEGV\. Look in the kernel's log/, true],
    [
      { kind: 'timed-out', afterMs: 10, ended: true },
      /did not end within 10 ms and was ended\. It may have done/,
      true,
    ],
    [{ kind: 'timed-out', afterMs: 10, ended: false }, /has not ended it\. It hangs in the kernel/, true],
    [{ kind: 'aborted', ended: true }, /was ended because it was no longer wanted/, true],
    [{ kind: 'not-found', searched: ['/sbin'] }, /lvs was not found in \/sbin\. Install lvs/, false],
    [{ kind: 'not-started', reason: 'EAGAIN' }, /could not be started: EAGAIN\. Check that/, false],
  ])('%o is told with what to do, and whether it may have acted', (outcome, message, mayHaveActed) => {
    const error = new CommandError(['lvs', '-a'], outcome);
    expect(error.message).toMatch(message);
    expect(error.message).toContain('`lvs -a`');
    expect(error.mayHaveActed).toBe(mayHaveActed);
  });
});
