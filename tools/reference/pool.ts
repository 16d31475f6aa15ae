/** The fields of a pool's spec, from its CustomResourceDefinition. */
import { structuralSchema } from '../../src/kit/manifests/structural-schema.ts';
import { pvPoolResource } from '../../src/pool/custom-resource.ts';
import { code, table } from './table.ts';

interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
}

export const specTable = (): string =>
  table(['field', 'type', 'what'], rowsOf(structuralSchema(pvPoolResource.spec) as Field, ''));

const rowsOf = ({ properties = {}, required = [] }: Field, path: string): readonly (readonly string[])[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    const row = [code(`${path}${name}`), typeOf(field), said(field, required.includes(name))];
    return [row, ...rowsOf(field, `${path}${name}.`)];
  });

const typeOf = (field: Field): string => field.enum?.map(code).join(' or ') ?? field.type ?? '';

const said = ({ description = '' }: Field, isRequired: boolean): string =>
  `${description.replace(/\.$/, '')}${isRequired ? '. Has to be there' : ''}`;
