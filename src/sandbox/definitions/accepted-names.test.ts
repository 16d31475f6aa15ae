import { expect, test } from 'vitest';
import { acceptedNames, NO_NAMES } from './accepted-names.ts';

const GADGET = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList', shortNames: ['g'] };

test('a definition gets the names that nobody has', () => {
  expect(acceptedNames(GADGET, NO_NAMES, [])).toEqual({ names: GADGET });
});

test('it keeps its own', () => {
  expect(acceptedNames(GADGET, GADGET, [{ plural: 'gizmos', kind: 'Gizmo' }])).toEqual({ names: GADGET });
});

test('it does not get those of another, and the last of them is told', () => {
  const other = { plural: 'gizmos', singular: 'gadget', kind: 'Gadget', listKind: 'GizmoList', shortNames: ['g', 'x'] };
  const { names, conflict } = acceptedNames({ ...other, categories: ['all'] }, NO_NAMES, [GADGET]);
  expect(names).toEqual({ plural: 'gizmos', kind: '', listKind: 'GizmoList', categories: ['all'] });
  expect(conflict).toEqual({ reason: 'KindConflict', message: '"Gadget" is already in use' });
});

test('of several short names all are told', () => {
  const wanted = { ...GADGET, plural: 'b', singular: 'b', kind: 'B', listKind: 'BList', shortNames: ['g', 'gg', 'h'] };
  const { conflict } = acceptedNames(wanted, NO_NAMES, [{ ...GADGET, shortNames: ['g', 'gg'] }]);
  expect(conflict?.message).toBe('["g" is already in use, "gg" is already in use]');
});
