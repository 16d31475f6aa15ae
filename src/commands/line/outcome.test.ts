import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { outcomeOf } from './outcome.ts';
import { UsageError } from './usage-error.ts';
import { NotWell } from './verdict.ts';

const of = (error: unknown, debug = false) => outcomeOf(error, 'holdfast pool', debug);

test('a wrong use ends with 2 and one line that says where to read on', () => {
  expect(of(new UsageError('--x is required'))).toEqual({
    exitCode: 2,
    message: 'holdfast pool: --x is required (see holdfast pool --help)\n',
  });
});

test("commander's own complaints read the same way", () => {
  const error = new CommanderError(1, 'commander.unknownOption', "error: unknown option '--xs'\n(Did you mean --x?)");
  expect(of(error).message).toBe(
    "holdfast pool: unknown option '--xs'; did you mean --x? (see holdfast pool --help)\n",
  );
});

test('what was asked about and is not well ends with a code of its own, and without a word', () => {
  expect(of(new NotWell('needs a person'))).toEqual({ exitCode: 3, message: '' });
  expect(of(new NotWell('unknown'))).toEqual({ exitCode: 4, message: '' });
});

test('shown help is a success', () => {
  expect(of(new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)'))).toEqual({ exitCode: 0, message: '' });
});

test('an expected failure ends with 1 and its message, without a stack', () => {
  expect(of(new Error('no API server at https://10.0.0.1'))).toEqual({
    exitCode: 1,
    message: 'holdfast pool: no API server at https://10.0.0.1\n',
  });
});

test('causes are told when they say something new', () => {
  const refused = new Error('connect ECONNREFUSED');
  expect(of(new Error('cannot list pods', { cause: refused })).message).toBe(
    'holdfast pool: cannot list pods: connect ECONNREFUSED\n',
  );
  expect(of(new Error('cannot list pods: connect ECONNREFUSED', { cause: refused })).message).toBe(
    'holdfast pool: cannot list pods: connect ECONNREFUSED\n',
  );
});

test('several errors at once, which have no message of their own, are all told', () => {
  const both = new AggregateError([new Error('connect ::1'), new Error('connect 127.0.0.1')]);
  expect(of(new Error('no API server', { cause: both })).message).toBe(
    'holdfast pool: no API server: connect ::1; connect 127.0.0.1\n',
  );
});

test('with HOLDFAST_DEBUG the stack follows', () => {
  expect(of(new Error('no'), true).message).toMatch(/^holdfast pool: no\nError: no\n {4}at /);
  expect(of(new UsageError('no'), true).message).toMatch(/\n {4}at /);
});

test('a mistake in the code says so and always shows its stack', () => {
  expect(of(new TypeError('x is undefined'))).toMatchObject({ exitCode: 1 });
  expect(of(new TypeError('x is undefined')).message).toMatch(/this is a bug.*\nTypeError: x is undefined\n {4}at /);
});

test('whatever is thrown is told', () => {
  expect(of('just text').message).toBe('holdfast pool: just text\n');
});
