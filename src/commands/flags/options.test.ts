import { Command } from 'commander';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { goStyle } from '../line/go-style.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { choice } from './choice.ts';
import { positiveDuration } from './duration.ts';
import { flag } from './flag.ts';
import { integer } from './integer.ts';
import { listOf } from './list.ts';
import { type OptionsOf, runs } from './options.ts';
import { onOff } from './switch.ts';
import { text } from './text.ts';

const makeFlags = () => ({
  nodeName: flag('--node-name', 'the node', text('name', 'node-1'), { env: 'LP_NODE_NAME', required: true }),
  pollingInterval: flag('--polling-interval', 'how often', positiveDuration, {
    env: 'LP_POLLING_INTERVAL',
    default: '5m',
  }),
  development: flag('--development', 'readable logs', onOff, { env: 'LP_DEVELOPMENT', default: 'false' }),
  enable: flag('--enable', 'which jobs', listOf(choice('devices', 'lvm')), { env: 'JOBS', default: 'devices,lvm' }),
  workers: flag('--workers', 'at once', integer(1, 64)),
});

type Options = OptionsOf<ReturnType<typeof makeFlags>>;

/** The options that an action gets for a command line and an environment. */
function given(args: string, env: Record<string, string> = {}): Options {
  const command = new Command('test').exitOverride().configureOutput({ outputError: () => {} });
  let seen: Options | undefined;
  runs(command, makeFlags(), aTerminal(env), (options) => {
    seen = options;
  });
  command.parse(goStyle(command, args.split(' ').filter(Boolean)), { from: 'user' });
  if (!seen) throw new Error('the action did not run');
  return seen;
}

const node = { LP_NODE_NAME: 'node-1' };

test('types follow the flags: what has a default or is required is always there', () => {
  expectTypeOf<Options['nodeName']>().toEqualTypeOf<string>();
  expectTypeOf<Options['workers']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Options['enable']>().toEqualTypeOf<readonly ('devices' | 'lvm')[]>();
});

test('without anything given the defaults hold, and what has none is undefined', () => {
  expect(given('', node)).toMatchObject({ development: false, enable: ['devices', 'lvm'], workers: undefined });
  expect(given('', node).pollingInterval.milliseconds).toBe(300_000);
});

test('the environment stands in for a flag, and the flag wins over it', () => {
  expect(given('', { ...node, LP_POLLING_INTERVAL: '7s' }).pollingInterval.milliseconds).toBe(7000);
  expect(given('--polling-interval 9s', { ...node, LP_POLLING_INTERVAL: '7s' }).pollingInterval.milliseconds).toBe(
    9000,
  );
});

test('a broken variable does not matter where the flag is given', () => {
  expect(given('--polling-interval 9s', { ...node, LP_POLLING_INTERVAL: 'soon' }).pollingInterval.milliseconds).toBe(
    9000,
  );
});

test('an empty variable counts as not set', () => {
  expect(given('', { ...node, LP_POLLING_INTERVAL: '' }).pollingInterval.milliseconds).toBe(300_000);
});

describe('a switch', () => {
  test.each([
    ['--development', true],
    ['--development=true', true],
    ['--development=false', false],
    ['--development=0', false],
    ['--development --development=false', false],
  ])('%s is %j', (args, expected) => {
    expect(given(args, node).development).toBe(expected);
  });
  test('from the environment is read, not merely noticed', () => {
    expect(given('', { ...node, LP_DEVELOPMENT: 'false' }).development).toBe(false);
    expect(given('', { ...node, LP_DEVELOPMENT: '1' }).development).toBe(true);
  });
});

test('a list grows with each use of its flag, and the default does not stay in it', () => {
  expect(given('--enable lvm', node).enable).toEqual(['lvm']);
  expect(given('--enable lvm --enable devices,lvm', node).enable).toEqual(['lvm', 'devices']);
});

test('of a flag with one value the last one wins', () => {
  expect(given('--workers 1 --workers 2', node).workers).toBe(2);
});

describe('an error names the flag or variable, the value, what is allowed and an example', () => {
  test('for a flag', () => {
    expect(() => given('--workers 65', node)).toThrow(
      '--workers cannot be "65": it is more than 64; use a whole number from 1 to 64, for example --workers=1',
    );
  });
  test('for a variable', () => {
    expect(() => given('', { ...node, LP_DEVELOPMENT: 'yes' })).toThrow(
      'the environment variable LP_DEVELOPMENT cannot be "yes": it is neither true nor false; use true or false, for example --development=true',
    );
  });
  test('for a required flag that is missing', () => {
    expect(() => given('')).toThrow(
      '--node-name is required: pass a name, for example --node-name=node-1, or set the environment variable LP_NODE_NAME',
    );
  });
  test('for control characters, without repeating them', () => {
    expect(() => given('--workers=\u001b[31m', node)).toThrow('"\\u001b[31m"');
  });
});

test('a default that its own kind refuses is found when the flag is made', () => {
  expect(() => flag('--workers', 'at once', integer(1, 64), { default: '0' })).toThrow('it is less than 1');
});

test('a flag under another name than its own is found when the command is made', () => {
  const flags = { nodes: flag('--node-name', 'the node', text('name', 'node-1')) };
  expect(() => runs(new Command('test'), flags, aTerminal(), () => {})).toThrow('cannot go by "nodes"');
});
