import { describe, expect, it } from 'vitest';
import { type NodeSelectorTermObject, nodeSelectorOf, selectsNode } from './node-selectors.ts';

const node = { name: 'n1', labels: { zone: 'a', cores: '16' } };
const selects = (...nodeSelectorTerms: NodeSelectorTermObject[]) =>
  selectsNode(nodeSelectorOf({ nodeSelectorTerms }), node);
const labelled = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});
const named = (operator: string, ...values: string[]) => ({
  matchFields: [{ key: 'metadata.name', operator, values }],
});

describe('a node selector', () => {
  it.each([
    [labelled('zone', 'In', 'a', 'b'), true],
    [labelled('zone', 'In', 'b'), false],
    [labelled('zone', 'NotIn', 'b'), true],
    [labelled('rack', 'NotIn', 'b'), true],
    [labelled('zone', 'Exists'), true],
    [labelled('zone', 'DoesNotExist'), false],
    [labelled('cores', 'Gt', '8'), true],
    [labelled('cores', 'Gt', '16'), false],
    [labelled('cores', 'Lt', '100'), true],
    [labelled('zone', 'Lt', '100'), false],
    [named('In', 'n1'), true],
    [named('NotIn', 'n1'), false],
    [{ ...labelled('zone', 'In', 'a'), ...named('In', 'n2') }, false],
    [{ matchFields: [{ key: 'spec.unknown', operator: 'In', values: ['n1'] }] }, false],
  ])('with the one term %j gives %j', (term, expected) => {
    expect(selects(term)).toBe(expected);
  });

  it('needs one of its terms to hold', () => {
    expect(selects(labelled('zone', 'In', 'b'), labelled('cores', 'Exists'))).toBe(true);
    expect(selects(labelled('zone', 'In', 'b'), labelled('cores', 'DoesNotExist'))).toBe(false);
  });

  it('selects no node without terms, or with an empty one', () => {
    expect(selects()).toBe(false);
    expect(selects({})).toBe(false);
    expect(selects({ matchExpressions: [], matchFields: null })).toBe(false);
    expect(selectsNode(nodeSelectorOf({}), node)).toBe(false);
  });

  it('lets a term that cannot be read select nothing, says what is wrong, and goes by the others', () => {
    const selector = nodeSelectorOf({
      nodeSelectorTerms: [
        labelled('cores', 'Gt', 'many'),
        labelled('zone', 'Near', 'a'),
        named('In', 'n1', 'n2'),
        named('Exists'),
        labelled('zone', 'In', 'a'),
      ],
    });
    expect(selector.faults).toEqual([
      'nodeSelectorTerms[0]: Gt on "cores" needs exactly one value, a whole number below 2^63',
      'nodeSelectorTerms[1]: the operator "Near" is unknown',
      'nodeSelectorTerms[2]: In on the field "metadata.name" needs exactly one value',
      'nodeSelectorTerms[3]: the field "metadata.name" can only be asked with In or NotIn',
    ]);
    expect(selectsNode(selector, node)).toBe(true);
    expect(selectsNode(selector, { name: 'n2', labels: {} })).toBe(false);
  });
});
