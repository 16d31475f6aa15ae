/** Node selectors, the required part of a node affinity: which nodes may run or reach a thing. Decides as the scheduler does. */
import { quote } from './invalid-value.ts';
import {
  type LabelRequirement,
  type Labels,
  readRequirement,
  satisfies,
  type WrittenRequirement,
} from './label-requirements.ts';

/** `v1.NodeSelector`, as it stands in an object. */
export interface NodeSelectorObject {
  readonly nodeSelectorTerms?: readonly NodeSelectorTermObject[] | null | undefined;
}

export interface NodeSelectorTermObject {
  readonly matchExpressions?: readonly WrittenRequirement[] | null | undefined;
  readonly matchFields?: readonly WrittenRequirement[] | null | undefined;
}

export interface NodeSelector {
  /** One of them has to hold. */
  readonly terms: readonly NodeTerm[];
  /** What is wrong with the terms that cannot be read. The API server lets some in; they select no node, and the others still count. */
  readonly faults: readonly string[];
}

/** All conditions have to hold. */
export interface NodeTerm {
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldCondition[];
}

interface FieldCondition {
  readonly field: string;
  readonly operator: 'In' | 'NotIn';
  readonly value: string;
}

/** The part of a Node that a selector can ask about. */
export interface SelectableNode {
  readonly name: string;
  readonly labels: Labels;
}

export function nodeSelectorOf(object: NodeSelectorObject): NodeSelector {
  const terms: NodeTerm[] = [];
  const faults: string[] = [];
  for (const [index, written] of (object.nodeSelectorTerms ?? []).entries()) {
    const read = readTerm(written);
    if ('faults' in read) faults.push(...read.faults.map((fault) => `nodeSelectorTerms[${index}]: ${fault}`));
    else if (read.labels.length + read.fields.length > 0) terms.push(read);
  }
  return { terms, faults };
}

function readTerm(written: NodeSelectorTermObject): NodeTerm | { readonly faults: readonly string[] } {
  const labels = (written.matchExpressions ?? []).map(readRequirement);
  const fields = (written.matchFields ?? []).map(readFieldCondition);
  const faults = [...labels, ...fields].filter((read) => typeof read === 'string');
  if (faults.length > 0) return { faults };
  return {
    labels: labels.filter((read) => typeof read !== 'string'),
    fields: fields.filter((read) => typeof read !== 'string'),
  };
}

function readFieldCondition({ key, operator, values }: WrittenRequirement): FieldCondition | string {
  const [value, ...more] = values ?? [];
  if (operator !== 'In' && operator !== 'NotIn') return `the field ${quote(key)} can only be asked with In or NotIn`;
  if (value === undefined || more.length > 0) return `${operator} on the field ${quote(key)} needs exactly one value`;
  return { field: key, operator, value };
}

/** A selector without terms, and a term without conditions, select no node. */
export function selectsNode(selector: NodeSelector, node: SelectableNode): boolean {
  return selector.terms.some(
    ({ labels, fields }) =>
      labels.every((requirement) => satisfies(node.labels, requirement)) &&
      fields.every((condition) => holdsFor(node, condition)),
  );
}

/** A node has one field to select by, its name. Any other counts as empty. */
function holdsFor(node: SelectableNode, { field, operator, value }: FieldCondition): boolean {
  const actual = field === 'metadata.name' ? node.name : '';
  return (actual === value) === (operator === 'In');
}
