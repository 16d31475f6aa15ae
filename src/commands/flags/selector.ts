/** Flags that choose objects by their labels, or name a label. */
import { InvalidValue } from '../../kit/invalid-value.ts';
import { labelKeyFault } from '../../kit/names.ts';
import { parseLabelSelector } from '../../kit/selector-syntax.ts';
import { formatLabelSelector } from '../../kit/selectors.ts';
import type { Kind } from './flag.ts';

/** The selector as text, as the API takes it. */
export const labelSelector: Kind<string> = {
  placeholder: 'selector',
  allowed: 'a label selector as kubectl takes it',
  example: 'team=web,tier!=test',
  parse: (text) => formatLabelSelector(parseLabelSelector(text)),
};

export const labelKey: Kind<string> = {
  placeholder: 'key',
  allowed: 'label keys',
  example: 'topology.csi.example.com/zone',
  parse(text) {
    const fault = labelKeyFault(text);
    if (fault !== undefined) throw new InvalidValue('label key', text, fault.slice(fault.indexOf(': ') + 2));
    return text;
  },
};
