/** The fields of the spec of a kind of ours, from its CustomResourceDefinition. */

import type { CustomResource } from '../../src/kit/manifests/crd.ts';
import { structuralSchema } from '../../src/kit/manifests/structural-schema.ts';
import { code, table } from './table.ts';

interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
}

export const specTable = ({ spec }: CustomResource): string =>
  table(['field', 'type', 'what'], rowsOf(structuralSchema(spec) as Field, ''));

const rowsOf = ({ properties = {}, required = [] }: Field, path: string): readonly (readonly string[])[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    const row = [code(`${path}${name}`), typeOf(field), said(field, required.includes(name))];
    return [row, ...rowsOf(field, `${path}${name}.`)];
  });

const typeOf = (field: Field): string => field.enum?.map(code).join(' or ') ?? field.type ?? '';

const said = ({ description = '' }: Field, isRequired: boolean): string =>
  `${description.replace(/\.$/, '')}${isRequired ? '. Has to be there' : ''}`;
