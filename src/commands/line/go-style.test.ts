import { Command } from 'commander';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flag } from '../flags/flag.ts';
import { onOff } from '../flags/switch.ts';
import { text } from '../flags/text.ts';
import { commandOf, goStyle } from './go-style.ts';

/** The flags of lvm, which has short ones, and of the others, which have long ones. */
function aProgram(): Command {
  const program = new Command('holdfast');
  const lvm = program
    .command('lvm')
    .addOption(flag('-s, --sanity-checks', '', onOff))
    .addOption(flag('-v, --debug', '', onOff))
    .addOption(flag('-R, --release', '', onOff))
    .addOption(flag('-o, --output', '', text('format', 'json')))
    .addOption(flag('--node-name', '', text('name', 'node-1')))
    .addOption(flag('--kubeconfig', '', text('file', 'f'), { emptyIsUnset: true }))
    .addOption(flag('--leader-elect', '', onOff));
  lvm.command('forget').addOption(flag('--yes', '', onOff));
  return program;
}

const rewritten = (line: string): string => goStyle(aProgram(), line.split(' ')).join(' ');

describe('long flags with one dash', () => {
  test.each([
    ['lvm -node-name x', 'lvm --node-name=x'],
    ['lvm -node-name=x', 'lvm --node-name=x'],
    ['lvm --node-name x', 'lvm --node-name=x'],
    ['lvm -leader-elect', 'lvm --leader-elect=true'],
    ['lvm -leader-elect=false', 'lvm --leader-elect=false'],
    ['lvm -debug -release', 'lvm --debug=true --release=true'],
    ['lvm -node-name=a=b', 'lvm --node-name=a=b'],
    ['lvm -node-name=', 'lvm --node-name='],
  ])('%s is read as %s', (line, expected) => {
    expect(rewritten(line)).toBe(expected);
  });
});

describe('short flags', () => {
  test.each([
    ['lvm -R', 'lvm --release=true'],
    ['lvm -sv', 'lvm --sanity-checks=true --debug=true'],
    ['lvm -vsR', 'lvm --debug=true --sanity-checks=true --release=true'],
    ['lvm -o json', 'lvm --output=json'],
    ['lvm -ojson', 'lvm --output=json'],
    ['lvm -o=json', 'lvm --output=json'],
    ['lvm -svo json', 'lvm --sanity-checks=true --debug=true --output=json'],
    ['lvm -v=false', 'lvm --debug=false'],
  ])('%s is read as %s', (line, expected) => {
    expect(rewritten(line)).toBe(expected);
  });
});

test('a switch never takes the next word for its value', () => {
  expect(rewritten('lvm --debug forget --yes pv-1')).toBe('lvm --debug=true forget --yes=true pv-1');
});

test('the value of a flag is left alone, also when it looks like a flag', () => {
  expect(rewritten('lvm -node-name -leader-elect')).toBe('lvm --node-name=-leader-elect');
});

test.each([
  ['lvm --kubeconfig= -v', 'lvm --debug=true'],
  ['lvm -kubeconfig= -v', 'lvm --debug=true'],
  ['lvm --kubeconfig  -v', 'lvm --debug=true'],
  ['lvm --kubeconfig=a --kubeconfig=', 'lvm --kubeconfig=a'],
])('"%s" gives no value where an empty one means none', (line, expected) => {
  expect(rewritten(line)).toBe(expected);
});

test('what follows -- is left alone', () => {
  expect(rewritten('lvm -- -node-name -sv')).toBe('lvm -- -node-name -sv');
});

test('a flag that is missing its value stays without one, for commander to tell', () => {
  expect(rewritten('lvm -node-name')).toBe('lvm --node-name');
});

test('an unknown long flag gets its second dash, so that the nearest one can be suggested', () => {
  expect(rewritten('lvm -nod-name x')).toBe('lvm --nod-name x');
  expect(rewritten('-help')).toBe('--help');
});

test('an unknown short flag, a number and a lone dash stay as they are', () => {
  expect(rewritten('lvm -x -1 -')).toBe('lvm -x -1 -');
});

test('flags of a command are not known before it is named', () => {
  expect(rewritten('-sv lvm')).toBe('--sv lvm');
});

test('rewriting what is already rewritten changes nothing more', () => {
  const word = fc.constantFrom(
    'lvm',
    'forget',
    '-sv',
    '-R',
    '-node-name',
    'x',
    '--debug',
    '-debug=false',
    '--',
    '-',
    '-o',
    '--yes',
  );
  fc.assert(
    fc.property(fc.array(word), (args) => {
      const once = goStyle(aProgram(), args);
      expect(goStyle(aProgram(), once)).toEqual(once);
    }),
  );
});

test('the command that is meant is the deepest one named, and a value never counts as a name', () => {
  const program = aProgram();
  const of = (line: string) => commandOf(program, goStyle(program, line.split(' '))).name();
  expect(of('lvm -v forget pv-1')).toBe('forget');
  expect(of('lvm --node-name forget')).toBe('lvm');
  expect(of('version')).toBe('holdfast');
});
